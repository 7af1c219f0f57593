"""Stops a child at a point of the write path: each function there is wrapped, none of them knows."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

from procrastinate.manager import JobManager

from tests.soak.link import Link
from tests.soak.phases import Point
from twofold.app import MemoryApp
from twofold.graphs import write as write_graph
from twofold.store import langgraph_tables, memories, persist, queue_tables
from twofold.store.inbox import Inbox
from twofold.store.kept import PostgresKept
from twofold.store.memories import PostgresMemories
from twofold.store.queue import Queue
from twofold.store.rescue import Rescue

_session: ContextVar[str] = ContextVar("session", default="")
_node: ContextVar[str] = ContextVar("node", default="")


class Points:
    """Says where the child is, and waits there if it is the point that it was given."""

    def __init__(self, link: Link, armed: dict[str, Any] | None) -> None:
        """Take the point to stop at, if it is one of the start."""
        self._link = link
        self._armed = armed
        self._go = asyncio.Event()

    def arm(self, point: str, session: str, skip: int = 0) -> None:
        """Stop at this point of this session's save, or after so many times more."""
        self._go.clear()
        self._armed = {"point": point, "session": session, "skip": skip}

    def go(self) -> None:
        """Go on from where it stopped."""
        self._go.set()

    async def at(self, point: Point, session: str | None = None) -> None:
        """Stop here if this is the point."""
        armed, named = self._armed, _session.get() if session is None else session
        if armed is None or armed["point"] != point or armed["session"] not in ("", named):
            return
        if armed["skip"]:
            armed["skip"] -= 1
            return
        self._armed = None
        await self._link.say(event="at", point=point, session=named)
        await self._go.wait()

    def install(self) -> None:
        """Wrap the write path."""
        for name, point in (("validate", Point.VALIDATE), ("redact", Point.REDACT), ("split", Point.SPLIT)):
            self._wrap(write_graph, name, before=lambda *_, at=point, **__: self.at(at))
        self._wrap(write_graph, "persist", within=_node)
        self._wrap(
            Queue, "defer", after=lambda _, __, ___, session, *_____, **______: self.at(Point.ACCEPT_OPEN, session)
        )
        self._wrap(Inbox, "accept", after=lambda _, __, session, *____, **_____: self.at(Point.ACCEPTED, session))
        self._wrap(Inbox, "mark_done", after=lambda *_, **__: self.at(Point.DONE))
        self._wrap(Inbox, "mark_failed", after=lambda _, __, session, *____, **_____: self.at(Point.FAILED, session))
        self._wrap(PostgresKept, "keep", after=self._kept)
        self._wrap(PostgresMemories, "save", after=lambda *_, **__: self.at(Point.PERSISTED))
        self._wrap(persist, "write", before=lambda *_, **__: self.at(Point.PERSIST_BEGUN))
        self._wrap(persist, "record", before=lambda *_, **__: self.at(Point.PERSIST_ROWS))
        self._wrap(memories, "persist", after=lambda *_, **__: self.at(Point.PERSIST_WRITTEN))
        self._wrap(Rescue, "_tell", before=lambda *_, **__: self.at(Point.RESCUE, ""))
        self._wrap(langgraph_tables, "make", before=self._start, after=self._start)
        self._wrap(queue_tables, "make", before=self._start, after=self._start)
        self._wrap_fetch()
        self._wrap_save()

    async def _kept(self, _self: object, _scope: object, session: str, part: str, *_: object, **__: object) -> None:
        await self.at(Point.FACTS_KEPT if part == "semantic" else Point.EPISODE_KEPT, session)

    async def _start(self, *_: object, **__: object) -> None:
        await self.at(Point.START, "")

    def _wrap(
        self,
        owner: Any,
        name: str,
        *,
        before: Callable[..., Awaitable[None]] | None = None,
        after: Callable[..., Awaitable[None]] | None = None,
        within: ContextVar[str] | None = None,
    ) -> None:
        wrapped = getattr(owner, name)

        @functools.wraps(wrapped)
        async def wrapper(*given: Any, **named: Any) -> Any:
            if within is not None:
                within.set(name)
            if before is not None:
                await before(*given, **named)
            result = await wrapped(*given, **named)
            if after is not None:
                await after(*given, **named)
            return result

        setattr(owner, name, wrapper)

    def _wrap_fetch(self) -> None:
        fetch_job = JobManager.fetch_job

        async def fetched(manager: JobManager, *given: Any, **named: Any) -> Any:
            job = await fetch_job(manager, *given, **named)
            if job is not None:
                session = str(job.task_kwargs["session_id"])
                await self._link.say(event="fetched", session=session)
                await self.at(Point.FETCHED, session)
            return job

        JobManager.fetch_job = fetched  # type: ignore[assignment,method-assign]

    def _wrap_save(self) -> None:
        save_session = MemoryApp.save_session

        async def saving(app: MemoryApp, scope: Any, session_id: str, revision: int) -> None:
            _session.set(session_id)
            await save_session(app, scope, session_id, revision)

        MemoryApp.save_session = saving  # type: ignore[assignment,method-assign]

    async def embedding(self) -> None:
        """Say that texts are embedded; stops only for those that are stored."""
        if _node.get() == "persist":
            await self.at(Point.EMBED)

"""The threads of the LangGraph server that this app is a part of, erased over its own API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIStatusError
from langgraph_sdk.schema import RunStatus
from starlette.types import ASGIApp

from twofold.api.threads import ErasedThreads, Owner
from twofold.wire import TENANT_HEADER, USER_HEADER

PAGE = 500
SECONDS = 30.0
WORKING: tuple[RunStatus, ...] = ("pending", "running")
_TELLS_WHO = frozenset({"authorization", "origin", TENANT_HEADER.lower(), USER_HEADER.lower()})
_UNSEEN = "/noauth"
"""Where LangGraph's SDK calls a server from within, without its handlers of who may do what; no request can."""


class ServerThreads:
    """Erases threads with their checkpoints and runs, and schedules.

    It calls the server in this process, as the caller, who reaches nothing but their own. A service that erases a
    whole tenant names nobody, so that the server would show it nothing: its key is checked as ever, and the owners of
    the threads here.
    """

    def __init__(self, app: ASGIApp) -> None:
        """Take the app that LangGraph has made its server of."""
        self._app = app

    async def erase(self, owner: Owner, headers: Mapping[str, str]) -> ErasedThreads:
        """Cancel the runs of an owner, erase the threads and the schedules; tells what is left, and why."""
        # In a task of its own: the server leaves in its context who called last.
        return await asyncio.create_task(self._erase(owner, headers), name="twofold-threads")

    async def _erase(self, owner: Owner, headers: Mapping[str, str]) -> ErasedThreads:
        async with self._client(owner, headers) as client:
            try:
                schedules = await self._schedules(client, owner)
                threads = await self._threads(client, owner)
            except httpx.HTTPError as error:
                return ErasedThreads(threads_left=(f"threads: {_told(error)}",))
            left: list[str] = []
            runs = erased = 0
            for thread in threads:
                try:
                    runs += await _stopped(client, thread)
                    await _erased(client, thread)
                    erased += 1
                except httpx.HTTPError as error:
                    if not _is(error, 404):
                        left.append(f"thread {thread}: {_told(error)}")
        return ErasedThreads(threads=erased, runs=runs, schedules=schedules, threads_left=tuple(left))

    @asynccontextmanager
    async def _client(self, owner: Owner, headers: Mapping[str, str]) -> AsyncIterator[LangGraphClient]:
        transport = httpx.ASGITransport(self._app, root_path=_UNSEEN if owner.name is None else "")
        caller = {name: value for name, value in headers.items() if name in _TELLS_WHO}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://localhost", headers=caller, timeout=SECONDS
        ) as client:
            yield LangGraphClient(client)

    async def _schedules(self, client: LangGraphClient, owner: Owner) -> int:
        """Erase the schedules first: they would start runs anew."""
        found: list[Any] = []
        while page := await client.crons.search(limit=PAGE, offset=len(found)):
            found.extend(page)
        mine = [cron["cron_id"] for cron in found if owner.has(_owner(cron)) and _is_of(owner, cron.get("payload"))]
        for cron in mine:
            await client.crons.delete(cron)
        return len(mine)

    async def _threads(self, client: LangGraphClient, owner: Owner) -> list[str]:
        found: list[Any] = []
        while page := await client.threads.search(
            limit=PAGE,
            offset=len(found),
            sort_by="thread_id",
            select=["thread_id", "metadata"],
            extract={"session_id": "values.session_id"},
        ):
            found.extend(page)
        mine = [thread for thread in found if owner.has(_owner(thread))]
        if owner.session_id is None:
            return [thread["thread_id"] for thread in mine]
        return [thread["thread_id"] for thread in mine if await _touches(client, thread, owner)]


async def _touches(client: LangGraphClient, thread: Any, owner: Owner) -> bool:
    """Whether a thread holds the session of an owner: its state is of it, or the input of a run was."""
    if (thread.get("extracted") or {}).get("session_id") == owner.session_id:
        return True
    seen = 0
    while page := await client.runs.list(thread["thread_id"], limit=PAGE, offset=seen, select=["kwargs"]):
        if any(_is_of(owner, run.get("kwargs")) for run in page):
            return True
        seen += len(page)
    return False


async def _stopped(client: LangGraphClient, thread: str) -> int:
    """Cancel the runs of a thread and wait for their ends; return how many they were."""
    stopped = 0
    for status in WORKING:
        for run in await client.runs.list(thread, status=status, limit=PAGE, select=["run_id"]):
            stopped += 1
            try:
                await client.runs.cancel(thread, run["run_id"], wait=True)
            except APIStatusError as error:
                if not _is(error, 404, 409):  # it has ended meanwhile
                    raise
    return stopped


async def _erased(client: LangGraphClient, thread: str) -> None:
    """Erase a thread. What `langgraph dev` leaves of one in its files is taken out before it looks away."""
    _forget_checkpoints(thread)
    await client.threads.delete(thread)
    _forget_checkpoints(thread)


def _forget_checkpoints(thread: str) -> None:
    from langgraph_runtime import RUNTIME_EDITION  # type: ignore[import-untyped]  # noqa: PLC0415 - set by the server

    if RUNTIME_EDITION == "inmem":
        from langgraph_runtime.checkpoint import Checkpointer  # type: ignore[import-untyped]  # noqa: PLC0415

        Checkpointer().delete_thread(thread)


def _owner(item: Any) -> object:
    return (item.get("metadata") or {}).get("owner")


def _is_of(owner: Owner, arguments: Any) -> bool:
    """Whether the arguments of a run are of the session that is meant, if one is."""
    if owner.session_id is None:
        return True
    given = arguments.get("input") if isinstance(arguments, dict) else None
    return isinstance(given, dict) and given.get("session_id") == owner.session_id


def _is(error: httpx.HTTPError, *statuses: int) -> bool:
    return isinstance(error, APIStatusError) and error.status_code in statuses


def _told(error: httpx.HTTPError) -> str:
    if isinstance(error, APIStatusError):
        return f"the server answered {error.status_code}"
    return type(error).__name__

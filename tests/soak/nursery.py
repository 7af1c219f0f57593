"""The children as the harness holds them: forked in a moment, ordered about, listened to and killed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Self

from tests.soak.link import Link

ROOT = Path(__file__).parents[2]
PATIENCE = 180.0


class ChildGone(Exception):
    """A child ended while something was awaited of it."""


@dataclass(slots=True)
class Child:
    """One process."""

    link: Link
    pid: int
    events: list[dict[str, Any]] = field(default_factory=list)
    gone: bool = False
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    async def listen(self, heard: Callable[[dict[str, Any]], None]) -> None:
        """Note what it says until it is gone."""
        async for event in self.link.heard():
            self.events.append(event)
            heard(event)
            self._news.set()
        self.gone = True
        self._news.set()

    async def until(self, event: str, **wanted: Any) -> dict[str, Any]:
        """Wait for an event with these values. Raises ChildGone, TimeoutError."""
        seen = 0
        async with asyncio.timeout(PATIENCE):
            while True:
                for said in self.events[seen:]:
                    seen += 1
                    if said["event"] == event and wanted.items() <= said.items():
                        return said
                if self.gone:
                    raise ChildGone(f"{event} {wanted}: ended after {self.events[-3:]}")
                self._news.clear()
                await self._news.wait()

    async def kill(self) -> None:
        """End it with kill -9."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        async with asyncio.timeout(PATIENCE):
            while not self.gone:
                self._news.clear()
                await self._news.wait()
        self.link.close()


class Nursery:
    """Makes children."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="twofold-soak-")
        self._socket = str(Path(self._folder.name) / "s")
        self._numbers = count()
        self._born: dict[int, asyncio.Future[tuple[Link, int]]] = {}
        self._listening: set[asyncio.Task[None]] = set()
        self._children: list[Child] = []

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_unix_server(self._met, self._socket, limit=2**24)
        with (Path(self._folder.name) / "log").open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "tests.soak.child",
                cwd=ROOT,
                stdin=asyncio.subprocess.PIPE,
                stderr=log,
            )
        return self

    async def __aexit__(self, *_: object) -> None:
        for child in self._children:
            if not child.gone:
                await child.kill()
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self._process.wait()
        self._server.close()
        await asyncio.gather(*self._listening)
        self._folder.cleanup()

    @property
    def log(self) -> str:
        """What the children logged."""
        return (Path(self._folder.name) / "log").read_text(errors="replace")

    async def child(
        self,
        database_url: str,
        base_url: str,
        *,
        works: bool,
        arm: dict[str, Any] | None = None,
        heard: Callable[[dict[str, Any]], None],
    ) -> Child:
        """Make a process; it may still be opening the database."""
        number = next(self._numbers)
        born = self._born[number] = asyncio.get_running_loop().create_future()
        task = {"socket": self._socket, "number": number, "database_url": database_url, "base_url": base_url}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({**task, "works": works, "arm": arm}).encode() + b"\n")
        await self._process.stdin.drain()
        async with asyncio.timeout(PATIENCE):
            link, pid = await born
        child = Child(link, pid)
        self._children.append(child)
        listening = asyncio.create_task(child.listen(heard))
        self._listening.add(listening)
        listening.add_done_callback(self._listening.discard)
        return child

    async def _met(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        link = Link(reader, writer)
        event = await link.next()
        if event is not None:
            self._born.pop(event["number"]).set_result((link, event["pid"]))


def noted(times: Iterable[tuple[float, str]], session: str, killed: float, over: float) -> float | None:
    """Return how long after the end of a kill a session's job was taken up, None if it was not."""
    return next((max(at - over, 0.0) for at, name in times if name == session and at >= killed), None)


def now() -> float:
    """Return the time by which all of this is measured."""
    return time.monotonic()

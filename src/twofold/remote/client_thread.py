"""A client of a server on an event loop and thread of its own, started by the first request."""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from pydantic import SecretStr

from twofold.loop_thread import LoopThread, finished
from twofold.memory.errors import TwofoldError
from twofold.remote.client import ServerClient

T = TypeVar("T")

Action: TypeAlias = Callable[[ServerClient], Coroutine[Any, Any, T]]

RELEASE_SECONDS = 2.0

_started: set[ClientThread] = set()


@dataclass(frozen=True, slots=True)
class _Running:
    thread: LoopThread
    client: ServerClient


class ClientThread:
    """Runs actions on a `ServerClient` from any thread or loop. Closed, it starts again with the next one."""

    def __init__(self, url: str, key: SecretStr) -> None:
        """Take the server's address and the service key. Nothing is started yet."""
        self._url = url
        self._key = key
        self._starting = threading.Lock()
        self._running: _Running | None = None

    def submit(self, action: Action[T]) -> Future[T]:
        """Start `action`; its future raises what went wrong."""
        running = self._start()
        return running.thread.submit(action(running.client))

    async def call(self, action: Action[T]) -> T:
        """Run `action` there and await its result here. Cancelling the caller does not stop it."""
        return await finished(self.submit(action))

    def close(self) -> None:
        """Cancel what runs, close the connections and end the thread; twice does no harm."""
        with self._starting:
            running, self._running = self._running, None
        _started.discard(self)
        if running is not None and running.thread.alive:
            with suppress(TwofoldError, FutureTimeout):
                running.thread.submit(running.client.close()).result(RELEASE_SECONDS)
            running.thread.stop()

    def _start(self) -> _Running:
        with self._starting:
            if self._running is None or not self._running.thread.alive:  # threads do not survive a fork
                self._running = _Running(LoopThread("twofold-remote"), ServerClient(self._url, self._key))
                _started.add(self)
            return self._running


def _close_all() -> None:
    for thread in list(_started):
        thread.close()


# As for a memory in this process: until here a request under way has the executors it needs. Nothing is waited
# for: what was accepted is safe on the server.
threading._register_atexit(_close_all)  # type: ignore[attr-defined]  # noqa: SLF001 - no public way

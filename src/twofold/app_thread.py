"""A memory app on an event loop and thread of its own, opened by the first call."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from contextvars import Context
from typing import Any, TypeVar

from twofold.app import MemoryApp
from twofold.loop_thread import LoopThread, finished
from twofold.memory.errors import TwofoldError

logger = logging.getLogger(__name__)

T = TypeVar("T")

RETRY_SECONDS = 5.0
SHARED_SECONDS = 1.0
RELEASE_SECONDS = 15.0


class AppThread:
    """Runs actions on a `MemoryApp` from any thread or loop.

    A failed opening is the error of the call that tried it; the next call tries again.
    """

    def __init__(self, name: str, enter: Callable[[], AbstractAsyncContextManager[MemoryApp]]) -> None:
        """Start the thread. `enter` opens the app on it."""
        self._thread = LoopThread(name)
        self._enter = enter
        self._opening = asyncio.Lock()
        self._stack = AsyncExitStack()
        self._app: MemoryApp | None = None
        self._failure: TwofoldError | None = None
        self._failed_at = 0.0

    def submit(self, action: Callable[[MemoryApp], Coroutine[Any, Any, T]]) -> Future[T]:
        """Start `action`; its future raises what went wrong, in opening too."""
        return self._thread.submit(self._act(action))

    async def call(self, action: Callable[[MemoryApp], Coroutine[Any, Any, T]]) -> T:
        """Run `action` there and await its result here. Cancelling the caller does not stop it."""
        return await finished(self.submit(action))

    @property
    def alive(self) -> bool:
        """Whether its thread still runs."""
        return self._thread.alive

    def open_soon(self) -> None:
        """Open the app without waiting for it; tries again until it is open."""
        self._thread.submit(self._opened_at_last())

    def close(self) -> None:
        """Close the app and end the thread."""
        if self._thread.alive:
            try:
                self._thread.submit(self._released()).result(RELEASE_SECONDS)
            except (TwofoldError, FutureTimeout) as error:
                logger.warning("Memory was not closed properly: %r", error)
            self._thread.stop()

    async def _released(self) -> None:
        # Not before an opening under way has ended: what it opens then would never be closed.
        async with self._opening:
            await self._stack.aclose()
            self._app = None

    async def _act(self, action: Callable[[MemoryApp], Coroutine[Any, Any, T]]) -> T:
        return await action(await self._opened())

    async def _opened_at_last(self) -> None:
        while self._app is None:
            try:
                await self._opened()
            except Exception as error:  # noqa: BLE001 - the worker loop: without it no save would ever be done
                logger.warning("The worker cannot start yet (%r); next try in %.0f s", error, RETRY_SECONDS)
                await asyncio.sleep(RETRY_SECONDS)

    async def _opened(self) -> MemoryApp:
        async with self._opening:
            if self._app is None:
                self._app = await self._entered()
        return self._app

    async def _entered(self) -> MemoryApp:
        """Open the app. Who waited while an attempt failed gets its error, instead of an attempt in turn."""
        if self._failure is not None and asyncio.get_running_loop().time() < self._failed_at + SHARED_SECONDS:
            raise self._failure
        try:
            # In a context of its own: the work that begins here outlives the call that opens the memory, and is no
            # part of its turn or of its trace.
            entering = self._stack.enter_async_context(self._enter())
            return await asyncio.create_task(entering, name="twofold-open", context=Context())
        except TwofoldError as error:
            self._failure, self._failed_at = error, asyncio.get_running_loop().time()
            raise

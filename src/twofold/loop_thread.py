"""A thread with an event loop of its own, for work that must outlive the caller's loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from twofold.memory.errors import StoreUnavailable

T = TypeVar("T")


async def finished(work: Future[T]) -> T:
    """Await work of another loop; to cancel this does not stop it.

    Raises StoreUnavailable when the work was cancelled, as closing does: a `CancelledError` would tell the
    caller's task that it was cancelled itself.
    """
    result = asyncio.wrap_future(work)
    result.add_done_callback(_noticed)
    try:
        return await asyncio.shield(result)
    except asyncio.CancelledError:
        if work.cancelled():
            raise StoreUnavailable("This memory was closed meanwhile") from None
        raise


def _noticed(result: asyncio.Future[Any]) -> None:
    """Take notice of an error nobody waits for any more, which asyncio would print otherwise."""
    if not result.cancelled():
        result.exception()


class LoopThread:
    """One daemon thread that runs one event loop.

    ADK's `Runner.run` makes a new loop for each call, so nothing that holds a connection may live on the
    caller's loop.
    """

    def __init__(self, name: str) -> None:
        """Start the thread."""
        self._loop = asyncio.new_event_loop()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether the thread still runs; it does not after `stop` or in a forked child."""
        return self._thread.is_alive()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start `work` on this loop, from any thread. Raises StoreUnavailable once it is being stopped."""
        if self._stopping:
            work.close()
            raise StoreUnavailable("This memory is closed")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def stop(self) -> None:
        """Cancel what still runs, close the loop and end the thread; once is enough, twice does no harm."""
        self._stopping = True
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
            tasks = asyncio.all_tasks(self._loop)
            for task in tasks:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        finally:
            self._loop.close()

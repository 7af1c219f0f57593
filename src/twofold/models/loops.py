"""One thing for each event loop, because an HTTP client works only in the loop that first used it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class PerLoop(Generic[T]):
    """Makes one `T` for each running event loop, on first use."""

    def __init__(self, make: Callable[[], T]) -> None:
        """Take the maker; nothing is made yet."""
        self._make = make
        self._made: dict[asyncio.AbstractEventLoop, T] = {}
        self._lock = Lock()

    def get(self) -> T:
        """Return what belongs to the running loop."""
        loop = asyncio.get_running_loop()
        with self._lock:
            made = self._made.get(loop)
            if made is None:
                self._forget_closed()
                made = self._made[loop] = self._make()
            return made

    def pop(self) -> T | None:
        """Forget what belongs to the running loop and return it, None where there is nothing."""
        with self._lock:
            return self._made.pop(asyncio.get_running_loop(), None)

    def _forget_closed(self) -> None:
        # `asyncio.run` in a loop of calls would otherwise keep every past loop and its sockets alive.
        for loop in [loop for loop in self._made if loop.is_closed()]:
            del self._made[loop]

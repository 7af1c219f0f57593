"""Runs that end because the host cancels their task, of which ADK tells no plugin."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any


class CancelledRuns:
    """Does what is left to do for an invocation whose task was cancelled, in the same event loop.

    A web server cancels the task when its client goes away. A loop that ends together with the task, as in
    `asyncio.run`, leaves no time for it.
    """

    def __init__(self) -> None:
        """Watch nothing yet."""
        self._watched: dict[str, tuple[asyncio.Task[Any], Callable[[asyncio.Task[Any]], None]]] = {}
        self._ending: set[asyncio.Task[None]] = set()

    def watch(self, invocation_id: str, left_to_do: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do `left_to_do` if the running task is cancelled before `unwatch`."""
        task = asyncio.current_task()
        if task is None:
            return

        def ended(done: asyncio.Task[Any]) -> None:
            if self._watched.pop(invocation_id, None) is not None and done.cancelled():
                ending = done.get_loop().create_task(left_to_do(), name="twofold-cancelled-run")
                self._ending.add(ending)
                ending.add_done_callback(self._ending.discard)

        task.add_done_callback(ended)
        self._watched[invocation_id] = (task, ended)

    def unwatch(self, invocation_id: str) -> None:
        """Stop watching an invocation: its end was told."""
        task, ended = self._watched.pop(invocation_id, (None, None))
        if task is not None and ended is not None:
            task.remove_done_callback(ended)

"""Re-dating whose memory was recalled, after the answer and at most once a day each."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from twofold.memory.errors import TwofoldError
from twofold.memory.scope import Scope

logger = logging.getLogger(__name__)


class Touches:
    """Runs one touch for each scope beside the answers of its loop."""

    def __init__(self, touch: Callable[[Scope], Awaitable[object]]) -> None:
        """Take what re-dates a scope unless it was re-dated today."""
        self._touch = touch
        self._running: dict[Scope, asyncio.Task[None]] = {}

    def soon(self, scope: Scope) -> None:
        """Touch a scope soon; returns at once. One that is being touched is not touched twice."""
        if scope not in self._running:
            task = asyncio.get_running_loop().create_task(self._touched(scope), name="twofold-touch")
            self._running[scope] = task

    async def finish(self) -> None:
        """Wait for the touches under way."""
        await asyncio.gather(*self._running.values())

    async def _touched(self, scope: Scope) -> None:
        try:
            await self._touch(scope)
        except TwofoldError as error:
            logger.warning("The memory of a person could not be re-dated: %s", error)
        finally:
            self._running.pop(scope, None)

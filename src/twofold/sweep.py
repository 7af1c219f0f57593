"""Deleting what has expired, now and then."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from twofold.memory.errors import TwofoldError

logger = logging.getLogger(__name__)

SECONDS = 3600.0
CANCEL_SECONDS = 0.2


async def sweeping(sweep: Callable[[], Awaitable[int]], *, every: float = SECONDS) -> None:
    """Sweep at once and then `every` so many seconds, until cancelled; an expired row is never returned anyway."""
    while True:
        try:
            deleted = await sweep()
        except TwofoldError as error:
            logger.warning("What has expired could not be deleted: %s", error)
        else:
            if deleted:
                logger.info("Deleted %d expired rows", deleted)
        await asyncio.sleep(every)


async def ended(task: asyncio.Task[Any]) -> None:
    """Cancel a task until it has ended: once may be lost where the pool hands it a connection at that moment."""
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=CANCEL_SECONDS)

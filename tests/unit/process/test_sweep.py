"""Ending what runs beside the work."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from twofold.sweep import ended, sweeping


async def test_a_task_that_loses_a_cancellation_is_ended_all_the_same() -> None:
    """A pool that hands over a connection at that moment loses it, on Python 3.11."""
    lost = asyncio.Event()

    async def losing() -> int:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        lost.set()
        return 0

    task = asyncio.create_task(sweeping(losing))
    await asyncio.sleep(0)
    async with asyncio.timeout(5):
        await ended(task)
    assert lost.is_set()
    assert task.cancelled()


async def test_what_has_ended_is_left_alone() -> None:
    task = asyncio.create_task(asyncio.sleep(0, "done"))
    assert await task == "done"
    await ended(task)
    assert not task.cancelled()

"""Working on saves while a context lasts."""

from __future__ import annotations

import asyncio

from twofold.testing import memory_app


async def test_work_that_is_stopped_at_any_moment_ends_at_once(database_url: str) -> None:
    """Also while the sweep waits for a connection, where the pool may lose its cancellation."""
    async with memory_app(database_url) as app:
        for moment in (0, 0.001, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1):
            async with asyncio.timeout(10):
                async with app.working(grace=1):
                    await asyncio.gather(app.database.backlog.pending(), asyncio.sleep(moment))

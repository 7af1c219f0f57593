"""What a server does beside answering: it works on saves, and lets go of everything when it stops."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from twofold.api.apps import Apps
from twofold.app import MemoryApp
from twofold.app_thread import AppThread
from twofold.chosen import release_database
from twofold.models.open import Models
from twofold.settings import Settings


@asynccontextmanager
async def working(settings: Settings, *, models: Models | None = None) -> AsyncIterator[None]:
    """Work on saves while the context lasts, on a thread of its own, where they slow no route.

    Does nothing if the settings leave that to another process.
    """
    if not settings.worker:
        yield
        return

    @asynccontextmanager
    async def entered() -> AsyncIterator[MemoryApp]:
        async with MemoryApp.open(settings, models=models) as app, app.working():
            yield app

    jobs = AppThread("twofold-jobs", entered)
    jobs.open_soon()
    try:
        yield
    finally:
        await asyncio.to_thread(jobs.close)


async def let_go(apps: Apps, settings: Settings) -> None:
    """Close the memory of the running loop, and let go of the embedded database.

    A server that is stopped by a signal ends by it, and does not come to `atexit`.
    """
    await apps.close_here()
    await asyncio.to_thread(release_database, settings)

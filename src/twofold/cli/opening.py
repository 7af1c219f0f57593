"""The database and the memory, opened for one command."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from twofold.cli.output import working
from twofold.memory.errors import StoreUnsuitable

if TYPE_CHECKING:
    from twofold.app import MemoryApp
    from twofold.settings import Settings
    from twofold.store.database import Database

POOL_SIZE = 2


@asynccontextmanager
async def opened_database(settings: Settings) -> AsyncIterator[Database]:
    """Open a database that is prepared, as it is: no model is loaded, nothing is made or migrated.

    Raises StoreUnavailable, StoreUnsuitable.
    """
    from twofold.clock import SystemClock
    from twofold.store.database import open_database

    with working("opening the database"):
        url, dims = await _prepared(settings)
    clock = SystemClock()
    async with open_database(url, dims=dims, ttl_days=settings.ttl_days, clock=clock, pool_size=POOL_SIZE) as database:
        yield database


@asynccontextmanager
async def opened_app(settings: Settings) -> AsyncIterator[MemoryApp]:
    """Open the memory with its models, on a database that is prepared. Raises what `MemoryApp.open` raises."""
    async with AsyncExitStack() as stack:
        with working("opening the memory"):
            await _prepared(settings)
            from twofold.app import MemoryApp

            app = await stack.enter_async_context(MemoryApp.open(settings))
        yield app


async def _prepared(settings: Settings) -> tuple[str, int]:
    """Return the database's URL and the length of its vectors."""
    from twofold.chosen import database_url
    from twofold.store.migrate import prepared

    url = await asyncio.to_thread(database_url, settings, make=False)
    found = await prepared(url)
    if found is None:
        raise StoreUnsuitable(f"The database {settings.database_shown} is not prepared yet: run `twofold migrate`")
    return url, found.dims

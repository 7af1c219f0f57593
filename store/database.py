"""The parts of the store on one pool, for the composition root."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from twofold.memory.ports import Clock
from twofold.store.backlog import Backlog
from twofold.store.inbox import Inbox
from twofold.store.kept import PostgresKept
from twofold.store.memories import PostgresMemories
from twofold.store.overview import Overview
from twofold.store.pool import open_pool
from twofold.store.queue import Queue


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """What a memory keeps in Postgres, opened on one event loop."""

    url: str = field(repr=False)  # holds the password
    memories: PostgresMemories
    kept: PostgresKept
    inbox: Inbox
    backlog: Backlog
    overview: Overview


@asynccontextmanager
async def open_database(url: str, *, dims: int, ttl_days: int, clock: Clock, pool_size: int) -> AsyncIterator[Database]:
    """Open a database that `migrate` has prepared for vectors of `dims` numbers; closes it at the end.

    Raises StoreUnavailable.
    """
    pool = await open_pool(url, max_size=pool_size)
    queue = Queue()
    try:
        yield Database(
            url=url,
            memories=PostgresMemories(pool, dims=dims, ttl_days=ttl_days, clock=clock, queue=queue),
            kept=PostgresKept(pool, clock=clock),
            inbox=Inbox(pool, queue, ttl_days=ttl_days, clock=clock),
            backlog=Backlog(pool, queue),
            overview=Overview(pool, clock=clock),
        )
    finally:
        await pool.close()

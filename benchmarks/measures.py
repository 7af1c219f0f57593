"""What a memory costs a real database: rows, bytes, write-ahead log, connections and time."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import psycopg
from psycopg.rows import tuple_row

from twofold.app import MemoryApp
from twofold.memory.scope import Scope

CALLERS = 8
"""How many callers ask at once where calls a second are counted."""

_TABLES = """
SELECT n.nspname || '.' || c.relname, pg_relation_size(c.oid),
       coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0), pg_indexes_size(c.oid)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND (n.nspname = 'twofold' OR n.nspname = 'public' AND c.relname LIKE 'store%')
"""
_CONNECTIONS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """One table: its rows, and its bytes in the heap, in TOAST (out of line) and in indexes."""

    rows: float
    heap: float
    toast: float
    indexes: float

    @property
    def total(self) -> float:
        """All bytes."""
        return self.heap + self.toast + self.indexes


async def sizes(url: str) -> dict[str, Size]:
    """Return the size of each table that memories grow, vacuumed first."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True, row_factory=tuple_row) as connection:
        await connection.execute("VACUUM ANALYZE")
        found = await (await connection.execute(_TABLES)).fetchall()
        return {
            name: Size(rows=await _count(connection, name), heap=heap, toast=toast, indexes=indexes)
            for name, heap, toast, indexes in found
        }


async def _count(connection: psycopg.AsyncConnection[tuple[int, ...]], table: str) -> int:
    schema, _, name = table.partition(".")
    statement = psycopg.sql.SQL("SELECT count(*) FROM {}").format(psycopg.sql.Identifier(schema, name))
    row = await (await connection.execute(statement)).fetchone()
    return row[0] if row else 0


async def logged(url: str) -> int:
    """Return how far the write-ahead log has come, in bytes."""
    async with await psycopg.AsyncConnection.connect(url, row_factory=tuple_row) as connection:
        row = await (await connection.execute("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")).fetchone()
    return int(row[0]) if row else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How often something is done a second, and how many seconds of this process's CPU each time takes."""

    a_second: float
    cpu: float


async def rate(calls: Iterable[Callable[[], Awaitable[object]]]) -> Rate:
    """Return how fast these calls are answered, by so many callers at once."""
    waiting = list(calls)
    many, began, cpu = len(waiting), time.perf_counter(), time.process_time()

    async def caller() -> None:
        while waiting:
            await waiting.pop()()

    await asyncio.gather(*(caller() for _ in range(CALLERS)))
    return Rate(a_second=many / (time.perf_counter() - began), cpu=(time.process_time() - cpu) / many)


async def drained(app: MemoryApp) -> Rate:
    """Wait until nothing is left to save, and return how fast that went since the first save was done."""
    waiting = (await app.database.backlog.pending()).waiting
    began, cpu, first = 0.0, 0.0, 0
    while waiting:
        await asyncio.sleep(0.05)
        left = (await app.database.backlog.pending()).waiting
        if not first and left < waiting:
            began, cpu, first = time.perf_counter(), time.process_time(), left
        waiting = left
    if not first:
        return Rate(a_second=0.0, cpu=0.0)
    return Rate(a_second=first / (time.perf_counter() - began), cpu=(time.process_time() - cpu) / first)


@asynccontextmanager
async def most_connections(url: str) -> AsyncIterator[Counter[str]]:
    """Count, while the context lasts, how many connections are open at most: `["most"]`."""
    seen: Counter[str] = Counter()

    async def watch() -> None:
        async with await psycopg.AsyncConnection.connect(url, autocommit=True, row_factory=tuple_row) as connection:
            while True:
                row = await (await connection.execute(_CONNECTIONS)).fetchone()
                seen["most"] = max(seen["most"], row[0] if row else 0)
                await asyncio.sleep(0.01)

    watching = asyncio.create_task(watch())
    try:
        yield seen
    finally:
        watching.cancel()


def person(number: int) -> Scope:
    """Return one of the people measured."""
    return Scope(tenant_id=f"company-{number % 10}", user_id=f"person-{number}")

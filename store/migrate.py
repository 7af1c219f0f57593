"""Bring a database up to this version of twofold: one process at a time, and at no cost when it is.

In this order: pgvector, LangGraph's tables by its own setup(), ours by yoyo, procrastinate's schema.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import psycopg
from langgraph.store.postgres.base import BasePostgresStore
from psycopg import errors
from psycopg.rows import class_row

from twofold.memory.errors import EmbedderMismatch, StoreUnavailable, StoreUnsuitable
from twofold.store import langgraph_tables, queue_tables, suitability
from twofold.store.own_tables import make_own_tables, own_migrations
from twofold.store.pool import Connection, connect
from twofold.store.refusals import told

logger = logging.getLogger(__name__)

LOCK_SECONDS = 120.0
_LOCK_PAUSE = 0.1
_LOCK = 0x74776F666F6C64  # "twofold"

_TRY_LOCK = "SELECT pg_try_advisory_lock(%s) AS locked"
_UNLOCK = "SELECT pg_advisory_unlock(%s)"
_CREATE = "CREATE SCHEMA IF NOT EXISTS twofold"
_CREATE_VECTOR = "CREATE EXTENSION IF NOT EXISTS vector"
_RECORDED = "SELECT name, dims, schema_mark FROM twofold.embedder"
_RECORD = """
INSERT INTO twofold.embedder (name, dims, schema_mark) VALUES (%(name)s, %(dims)s, %(schema_mark)s)
ON CONFLICT (only_row) DO UPDATE SET name = excluded.name, dims = excluded.dims, schema_mark = excluded.schema_mark
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Recorded:
    name: str
    dims: int
    schema_mark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What a database was prepared for, and whether that is all this version of twofold needs."""

    embedder: str
    dims: int
    schema: str
    wanted_schema: str

    @property
    def current(self) -> bool:
        """Whether `migrate` has nothing to do but for another embedder."""
        return self.schema == self.wanted_schema


async def migrate(url: str, *, dims: int, embedder: str) -> None:
    """Make or update the schema for vectors of `dims` numbers made by `embedder`, and record both.

    Costs one query when everything is current. Any number of processes may start at once: one does the work,
    the others poll for the lock, because LangGraph's setup() would wait for sessions that block on it.

    Raises StoreUnavailable, StoreUnsuitable, and EmbedderMismatch if memories of another embedder are stored.
    """
    wanted = _Recorded(name=embedder, dims=dims, schema_mark=await asyncio.to_thread(_schema_mark))
    connection = await connect(url)
    try:
        if await _recorded(connection) == wanted:
            return
        await suitability.check(connection)
        async with _alone(connection):
            if await _recorded(connection) != wanted:
                await _migrate(connection, url, wanted)
    except psycopg.Error as error:
        raise told(error) from error
    finally:
        await connection.close()


async def recorded_embedder(url: str) -> tuple[str, int] | None:
    """Return name and dimensions of the embedder that this database was made with, None before `migrate`.

    Raises StoreUnavailable.
    """
    found = await prepared(url)
    return None if found is None else (found.embedder, found.dims)


async def prepared(url: str) -> Prepared | None:
    """Return what this database was prepared for, None before `migrate`. Changes nothing. Raises StoreUnavailable."""
    connection = await connect(url)
    try:
        recorded = await _recorded(connection)
    except psycopg.Error as error:
        raise told(error) from error
    finally:
        await connection.close()
    if recorded is None:
        return None
    wanted = await asyncio.to_thread(_schema_mark)
    return Prepared(embedder=recorded.name, dims=recorded.dims, schema=recorded.schema_mark, wanted_schema=wanted)


async def _migrate(connection: Connection, url: str, wanted: _Recorded) -> None:
    logger.info("Preparing the database for %s with %d dimensions", wanted.name, wanted.dims)
    await _check_embedder(connection, wanted)
    await _create_extension(connection)
    await connection.execute(_CREATE)
    await langgraph_tables.make(connection, dims=wanted.dims)
    await asyncio.to_thread(make_own_tables, url)
    await queue_tables.make(connection)
    await connection.execute(_RECORD, {"name": wanted.name, "dims": wanted.dims, "schema_mark": wanted.schema_mark})


async def _check_embedder(connection: Connection, wanted: _Recorded) -> None:
    """Raise EmbedderMismatch if vectors of another embedder are stored; drop their empty table otherwise."""
    recorded = await _recorded(connection)
    stored_dims = await langgraph_tables.vector_dims(connection)
    same_name = recorded is None or recorded.name == wanted.name
    if same_name and stored_dims in (None, wanted.dims):
        return
    if await langgraph_tables.has_vectors(connection):
        raise EmbedderMismatch(_mismatch(recorded, stored_dims, wanted))
    if stored_dims not in (None, wanted.dims):
        await langgraph_tables.drop_vectors(connection)


def _mismatch(recorded: _Recorded | None, stored_dims: int | None, wanted: _Recorded) -> str:
    name = "an embedder that was not recorded" if recorded is None else repr(recorded.name)
    return (
        f"The memories in this database were embedded by {name} ({stored_dims} dimensions), but {wanted.name!r}"
        f" ({wanted.dims} dimensions) is set. Set the embedder back, or use an empty database."
    )


async def _create_extension(connection: Connection) -> None:
    try:
        await connection.execute(_CREATE_VECTOR)
    except errors.InsufficientPrivilege as error:
        raise StoreUnsuitable(
            "The role may not install pgvector: have a superuser run CREATE EXTENSION vector in this database."
        ) from error


@asynccontextmanager
async def _alone(connection: Connection) -> AsyncIterator[None]:
    deadline = time.monotonic() + LOCK_SECONDS
    while not await _locked(connection):
        if time.monotonic() >= deadline:
            raise StoreUnavailable(
                f"Another process has been preparing the database for {LOCK_SECONDS:.0f} seconds. Try again; if none"
                " is, end its session (pg_stat_activity, application_name 'twofold')."
            )
        await asyncio.sleep(_LOCK_PAUSE)
    try:
        yield
    finally:
        if not connection.closed:
            await connection.execute(_UNLOCK, (_LOCK,))


async def _locked(connection: Connection) -> bool:
    row = await (await connection.execute(_TRY_LOCK, (_LOCK,))).fetchone()
    return row is not None and bool(row["locked"])


async def _recorded(connection: Connection) -> _Recorded | None:
    try:
        async with connection.cursor(row_factory=class_row(_Recorded)) as cursor:
            return await (await cursor.execute(_RECORDED)).fetchone()
    except (errors.UndefinedTable, errors.InvalidSchemaName):
        return None


def _schema_mark() -> str:
    """Return what the schema is made of; a newer twofold, LangGraph or procrastinate changes it."""
    langgraph = len(BasePostgresStore.MIGRATIONS), len(BasePostgresStore.VECTOR_MIGRATIONS)
    return f"own {own_migrations()[-1]}, langgraph {langgraph}, queue {queue_tables.migrations()[-1]}"

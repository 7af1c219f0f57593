"""Connections to Postgres: opened once, checked, and every driver error told once in our own words.

A pool belongs to the event loop that opened it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeAlias, cast

import psycopg
from pgvector.psycopg import register_vector_async
from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from twofold.memory.errors import StoreUnsuitable
from twofold.store.refusals import is_misread, told, told_at_connect, unreadable_url

Connection: TypeAlias = AsyncConnection[DictRow]
Pool: TypeAlias = AsyncConnectionPool[Connection]

OPEN_SECONDS = 10.0
CONNECT_SECONDS = 5
LOCK_SECONDS = 10
SHARED_FIRST = "public, twofold, extensions"
"""LangGraph's SQL is unqualified and its tables are in `public`; hosted Postgres has pgvector in `extensions`."""
OWN_FIRST = "twofold, public, extensions"
"""For procrastinate, whose SQL is unqualified too: the host may have a queue of its own in `public`."""

_SETTINGS = """
SELECT set_config('search_path', %s, false),
       set_config('plan_cache_mode', 'force_custom_plan', false)
"""
# A session that hangs in a transaction must not hang everyone who waits for its rows.
_PATIENCE = "SELECT set_config('lock_timeout', %s, false)"
_PATH = "SELECT set_config('search_path', %s, true)"


async def open_pool(url: str, *, min_size: int = 1, max_size: int = 8, search_path: str = SHARED_FIRST) -> Pool:
    """Open a pool of connections to a database that `migrate` has prepared, within ten seconds.

    Raises StoreUnavailable if the server does not answer or refuses, StoreUnsuitable if pgvector is missing.
    """
    probe = await connect(url, search_path=search_path)
    try:
        await _register_vectors(probe)
    finally:
        await probe.close()

    async def configure(connection: Connection) -> None:
        await _settle(connection, search_path)
        await connection.execute(_PATIENCE, (f"{LOCK_SECONDS}s",))
        await _register_vectors(connection)

    pool = cast(
        Pool,
        AsyncConnectionPool(
            _conninfo(url),
            min_size=min_size,
            max_size=max(min_size, max_size),
            open=False,
            timeout=OPEN_SECONDS,
            configure=configure,
            check=AsyncConnectionPool.check_connection,
            kwargs={"row_factory": dict_row},
            # psycopg's default of five minutes doubles its pauses meanwhile; a new request starts it anew.
            reconnect_timeout=OPEN_SECONDS,
            name="twofold",
        ),
    )
    try:
        await pool.open(wait=True, timeout=OPEN_SECONDS)
    except psycopg.Error as error:
        await pool.close()
        raise told_at_connect(error, url) from error
    return pool


async def connect(url: str, *, search_path: str = SHARED_FIRST) -> Connection:
    """Open one connection outside any pool, in autocommit. Raises StoreUnavailable."""
    conninfo = _conninfo(url)
    try:
        connection = await AsyncConnection.connect(conninfo, row_factory=dict_row)
    except psycopg.Error as error:
        raise told_at_connect(error, url) from error
    try:
        await _settle(connection, search_path)
    except psycopg.Error as error:
        await connection.close()
        raise told(error) from error
    return connection


async def own_path(connection: Connection) -> None:
    """Have procrastinate's unqualified names mean our tables until the end of this transaction."""
    await connection.execute(_PATH, (OWN_FIRST,))


async def shared_path(connection: Connection) -> None:
    """Have LangGraph's unqualified names mean its tables until the end of this transaction."""
    await connection.execute(_PATH, (SHARED_FIRST,))


@asynccontextmanager
async def borrowed(pool: Pool) -> AsyncIterator[Connection]:
    """Lend a connection in autocommit; tells what the driver raises as a TwofoldError."""
    try:
        async with pool.connection() as connection:
            yield connection
    except psycopg.Error as error:
        raise told(error) from error


@asynccontextmanager
async def transaction(pool: Pool) -> AsyncIterator[Connection]:
    """Lend a connection in a transaction, committed at the end or rolled back by an error."""
    async with borrowed(pool) as connection, connection.transaction():
        yield connection


def _conninfo(url: str) -> str:
    given: dict[str, Any] | None = None
    with suppress(psycopg.Error):  # it quotes the part it stumbled over, which may be the password
        given = conninfo_to_dict(url)
    if given is None or is_misread(given):
        raise unreadable_url()
    ours: dict[str, Any] = {"connect_timeout": CONNECT_SECONDS, "application_name": "twofold"}
    return make_conninfo("", **{**ours, **given})


async def _settle(connection: Connection, search_path: str) -> None:
    # Not a pool argument: procrastinate opens its listening connection with the pool's arguments and its own.
    await connection.set_autocommit(True)
    await connection.execute(_SETTINGS, (search_path,))


async def _register_vectors(connection: Connection) -> None:
    try:
        await register_vector_async(connection)
    except psycopg.ProgrammingError as error:
        raise StoreUnsuitable(
            "The database is not prepared yet: it lacks the type `vector`. Run `twofold migrate`."
        ) from error
    except psycopg.Error as error:
        raise told(error) from error

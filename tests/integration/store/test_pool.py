"""Opening the database: what goes wrong is told in words that say what to do, and never the password."""

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from tests.database import DatabaseServer
from tests.integration.store.conftest import Store
from tests.integration.store.samples import ANNA, DIMS, add, facts, remember
from twofold.memory.errors import Conflict, StoreUnavailable, StoreUnsuitable, TwofoldError
from twofold.store.memories import PostgresMemories
from twofold.store.migrate import recorded_embedder
from twofold.store.pool import Pool, borrowed, open_pool, transaction
from twofold.store.refusals import told_at_connect

PASSWORD = "s3cret/p@ss"
QUOTED = "s3cret%2Fp%40ss"


@contextmanager
def listener() -> Iterator[int]:
    """Lend a port on which somebody listens and never answers."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        yield silent.getsockname()[1]


async def refused(url: str) -> str:
    started = time.monotonic()
    with pytest.raises(StoreUnavailable) as error:
        await open_pool(url)
    assert time.monotonic() - started < 10
    told = "".join(str(part) for part in (error.value, error.value.__cause__, error.value.__context__))
    assert PASSWORD not in told
    assert QUOTED not in told
    return str(error.value)


async def test_an_unreachable_port_is_told() -> None:
    told = await refused(f"postgresql://anna:{QUOTED}@127.0.0.1:1/books")
    assert "127.0.0.1:1, database 'books', user 'anna': Connection refused. Start the server" in told


async def test_a_silent_server_is_given_up_in_time() -> None:
    with listener() as port:
        assert "Check host, port and firewall" in await refused(f"postgresql://anna:{QUOTED}@127.0.0.1:{port}/books")


def test_a_host_that_nobody_knows_is_told() -> None:
    error = psycopg.OperationalError("failed to resolve host 'nowhere': [Errno -2] Name or service not known")
    assert "Check the host name" in str(told_at_connect(error, f"postgresql://anna:{QUOTED}@nowhere/books"))


async def test_a_missing_socket_is_told() -> None:
    assert "Start the server" in await refused("postgresql:///books?host=/nowhere&user=anna")


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://anna:{PASSWORD}@127.0.0.1/books",
        "postgresql://anna:s3@cret@127.0.0.1/books",
        "postgresql://anna:123/s3cret@127.0.0.1/books",
        "postgresql://anna:s3cret%2Fp%@ss@127.0.0.1/books",
        "postgres//books",
        "postgresql+psycopg://anna@127.0.0.1/books",
        "",
    ],
)
async def test_an_unreadable_url_is_told_without_quoting_it(url: str) -> None:
    with pytest.raises(StoreUnavailable, match="cannot be read") as error:
        await open_pool(url or "=")
    assert "cret" not in str(error.value)
    assert (error.value.__cause__, error.value.__context__) == (None, None)


async def test_a_wrong_password_is_told(database_server: DatabaseServer, database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as admin:
        [(hba,)] = admin.execute("SHOW hba_file").fetchall()
        admin.execute("CREATE ROLE locked LOGIN PASSWORD 'right'")
        lines = admin.execute("SELECT pg_read_file(%s)", (hba,)).fetchall()[0][0]
        data = f"local all locked scram-sha-256\n{lines}"
        admin.execute("SELECT lo_from_bytea(4711, %s)", (data.encode(),))
        admin.execute("SELECT lo_export(4711, %s)", (hba,))
        admin.execute("SELECT pg_reload_conf()")
        try:
            given = {"user": "locked", "password": PASSWORD}
            told = await refused(psycopg.conninfo.make_conninfo(database_url, **given))
        finally:
            admin.execute("SELECT lo_put(4711, 0, %s)", (lines.encode().ljust(len(data.encode())),))
            admin.execute("SELECT lo_export(4711, %s)", (hba,))
            admin.execute("SELECT pg_reload_conf()")
            admin.execute("DROP ROLE locked")
    assert "user 'locked': password authentication failed" in told
    assert "Check the user and the password" in told


async def test_a_missing_database_and_a_missing_role_are_told(database_url: str) -> None:
    told = await refused(psycopg.conninfo.make_conninfo(database_url, dbname="nobody_made_this"))
    assert "Create it, or name an existing one" in told
    told = await refused(psycopg.conninfo.make_conninfo(database_url, user="nobody"))
    assert "Create the role" in told
    with pytest.raises(StoreUnavailable):
        await recorded_embedder(psycopg.conninfo.make_conninfo(database_url, user="nobody"))


async def test_every_connection_is_set_up_alike(pool: Pool) -> None:
    async def shown(setting: str) -> str:
        async with borrowed(pool) as connection:
            row = await (await connection.execute("SELECT current_setting(%s) AS value", (setting,))).fetchone()
        assert row is not None
        return str(row["value"])

    settings = ["search_path", "plan_cache_mode", "application_name"]
    assert [await shown(name) for name in settings] == [
        "public, twofold, extensions",
        "force_custom_plan",
        "twofold",
    ]


async def test_a_url_keeps_what_it_sets_itself(url: str) -> None:
    pool = await open_pool(psycopg.conninfo.make_conninfo(url, application_name="books"))
    async with borrowed(pool) as connection:
        assert connection.info.get_parameters()["application_name"] == "books"
    await pool.close()


async def test_a_lost_connection_is_replaced(store: Store) -> None:
    await remember(store.memories, add("fact"))
    with psycopg.connect(store.url, autocommit=True) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    assert len(await facts(store.memories)) == 1


@pytest.mark.parametrize(
    ("statement", "told", "expected"),
    [
        ("SELECT 1 / 0", "division by zero", StoreUnavailable),
        ("SELECT * FROM nowhere", "not prepared for this version", StoreUnsuitable),
        ("SET TRANSACTION READ ONLY; CREATE TABLE a (b int)", "read-only", StoreUnsuitable),
        ("SET LOCAL ROLE pg_monitor; DELETE FROM public.store", "lacks a right", StoreUnsuitable),
        ("DO $$BEGIN RAISE SQLSTATE '40P01'; END$$", "run it again", Conflict),
        ("SELECT pg_terminate_backend(pg_backend_pid())", "was lost", StoreUnavailable),
    ],
)
async def test_what_the_driver_raises_is_told_once(
    pool: Pool, statement: str, told: str, expected: type[TwofoldError]
) -> None:
    with pytest.raises(expected, match=told) as error:
        async with transaction(pool) as connection:
            await connection.execute(statement)
    assert isinstance(error.value.__cause__, psycopg.Error)


async def test_a_full_pool_is_told_after_a_while(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twofold.store.pool.OPEN_SECONDS", 0.5)
    pool = await open_pool(url, max_size=1)
    async with borrowed(pool):
        with pytest.raises(StoreUnavailable, match="couldn't get a connection"):
            async with borrowed(pool):
                pass
    await pool.close()


async def test_a_session_that_hangs_in_a_transaction_does_not_hang_the_others(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twofold.store.pool.LOCK_SECONDS", 1)
    pool = await open_pool(store.url)
    await remember(store.memories, add("fact"))
    memories = PostgresMemories(pool, dims=DIMS, ttl_days=30, clock=store.clock, queue=store.queue)
    async with transaction(store.pool) as hanging:
        await hanging.execute("SELECT 1 FROM twofold.scope FOR UPDATE")
        with pytest.raises(StoreUnavailable, match=r"lock timeout.*try again"):
            await memories.erase_user(ANNA)
    await pool.close()


async def test_a_cancelled_search_leaves_the_pool_usable(store: Store) -> None:
    async def slow() -> None:
        async with borrowed(store.pool) as connection:
            await connection.execute("SELECT pg_sleep(60)")

    tasks = [asyncio.create_task(slow()) for _ in range(8)]
    await asyncio.sleep(0.2)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await remember(store.memories, add("fact"), scope=ANNA)
    assert len(await facts(store.memories)) == 1

"""Preparing a database: once, by whoever comes first, and never for another embedder's vectors."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from tests.database import DatabaseServer
from tests.integration.store.conftest import Store
from tests.integration.store.samples import DIMS, EMBEDDER, add, remember
from twofold.memory.errors import EmbedderMismatch, StoreUnavailable, StoreUnsuitable
from twofold.store import migrate as migrate_module
from twofold.store import own_tables, queue_tables
from twofold.store.migrate import migrate, recorded_embedder
from twofold.store.pool import borrowed, connect, open_pool

_MIGRATE = """
import asyncio, sys
from twofold.store.migrate import migrate
asyncio.run(migrate(sys.argv[1], dims=8, embedder="e"))
"""


def columns(url: str) -> set[tuple[object, ...]]:
    with psycopg.connect(url) as connection:
        rows = connection.execute(
            "SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns"
            " WHERE table_schema IN ('public', 'twofold')"
        ).fetchall()
        indexes = connection.execute(
            "SELECT indexdef FROM pg_indexes WHERE schemaname IN ('public', 'twofold')"
        ).fetchall()
    return {*rows, *indexes}


async def test_an_empty_database_is_prepared_and_remembers_its_embedder(database_url: str) -> None:
    assert await recorded_embedder(database_url) is None
    await migrate(database_url, dims=8, embedder="first")
    assert await recorded_embedder(database_url) == ("first", 8)
    before = columns(database_url)
    await migrate(database_url, dims=8, embedder="first")
    assert columns(database_url) == before
    assert any("hnsw" in str(row) and "vector_cosine_ops" in str(row) for row in before)


def test_four_processes_prepare_an_empty_database_at_once(database_url: str) -> None:
    processes = [
        subprocess.Popen([sys.executable, "-c", _MIGRATE, database_url], stderr=subprocess.PIPE) for _ in range(4)
    ]
    ends = [(process.communicate(timeout=60)[1], process.returncode) for process in processes]
    assert ends == [(b"", 0)] * 4
    assert asyncio.run(recorded_embedder(database_url)) == ("e", 8)


async def test_four_tasks_prepare_an_empty_database_at_once(database_url: str) -> None:
    await asyncio.gather(*(migrate(database_url, dims=8, embedder="e") for _ in range(4)))
    assert await recorded_embedder(database_url) == ("e", 8)


async def test_a_prepared_database_costs_no_lock(url: str) -> None:
    holder = await connect(url)
    await holder.execute("SELECT pg_advisory_lock(%s)", (migrate_module._LOCK,))
    await migrate(url, dims=DIMS, embedder=EMBEDDER)
    await holder.close()


async def test_a_migrator_that_never_ends_is_named_after_a_while(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrate_module, "LOCK_SECONDS", 0.3)
    holder = await connect(database_url)
    await holder.execute("SELECT pg_advisory_lock(%s)", (migrate_module._LOCK,))
    with pytest.raises(StoreUnavailable, match="Another process has been preparing"):
        await migrate(database_url, dims=8, embedder="e")
    await holder.close()


async def test_a_migration_that_was_killed_half_way_is_finished_by_the_next(database_url: str) -> None:
    await migrate(database_url, dims=8, embedder="e")
    whole = columns(database_url)
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as connection:
        await connection.execute("DROP TABLE twofold._yoyo_migration, twofold._yoyo_log, twofold._yoyo_version")
        await connection.execute("INSERT INTO twofold.yoyo_lock (locked, ctime, pid) VALUES (1, now(), 1)")
        await connection.execute("DROP TABLE twofold.audit")
        await connection.execute("DELETE FROM twofold.embedder")
        await connection.execute("DELETE FROM public.vector_migrations WHERE v = 2")
        await connection.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'public.store_vectors_embedding_idx'::regclass"
        )
    await migrate(database_url, dims=8, embedder="e")
    assert columns(database_url) == whole
    async with await psycopg.AsyncConnection.connect(database_url) as connection:
        row = await (await connection.execute("SELECT bool_and(indisvalid) FROM pg_index")).fetchone()
    assert row == (True,)


async def test_another_embedder_on_an_empty_database_re_makes_the_vectors(url: str) -> None:
    await migrate(url, dims=8, embedder="other")
    assert await recorded_embedder(url) == ("other", 8)
    pool = await open_pool(url)
    async with borrowed(pool) as connection:
        row = await (
            await connection.execute(
                "SELECT format_type(atttypid, atttypmod) AS type FROM pg_attribute"
                " WHERE attrelid = 'public.store_vectors'::regclass AND attname = 'embedding'"
            )
        ).fetchone()
    await pool.close()
    assert row == {"type": "vector(8)"}


@pytest.mark.parametrize(("name", "dims"), [("other", DIMS), (EMBEDDER, 8), ("other", 8)])
async def test_another_embedder_on_stored_memories_is_refused_naming_both(store: Store, name: str, dims: int) -> None:
    await remember(store.memories, add("fact"))
    with pytest.raises(EmbedderMismatch) as refused:
        await migrate(store.url, dims=dims, embedder=name)
    for word in (EMBEDDER, name, str(DIMS), str(dims), "Set the embedder back"):
        assert word in str(refused.value)
    assert await recorded_embedder(store.url) == (EMBEDDER, DIMS)


async def test_vectors_of_a_stock_store_that_was_there_before_are_not_mixed_with_ours(
    database_url: str,
) -> None:
    await migrate(database_url, dims=8, embedder="e")
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as connection:
        await connection.execute("DROP SCHEMA twofold CASCADE")
        await connection.execute("INSERT INTO public.store (prefix, key, value) VALUES ('docs', 'k', '{}')")
        await connection.execute(
            "INSERT INTO public.store_vectors (prefix, key, field_name, embedding) VALUES ('docs', 'k', '$', %s)",
            (str([1.0] * 8),),
        )
    with pytest.raises(EmbedderMismatch, match="not recorded"):
        await migrate(database_url, dims=16, embedder="e")
    await migrate(database_url, dims=8, embedder="e")


async def test_vectors_too_long_for_the_index_are_refused(database_url: str) -> None:
    with pytest.raises(StoreUnsuitable, match="embedding_dims"):
        await migrate(database_url, dims=3072, embedder="e")


async def test_a_newer_queue_brings_its_tables_up_to_date(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await migrate(database_url, dims=8, embedder="e")
    for name in queue_tables.migrations():
        (tmp_path / f"{name}.sql").write_text("SELECT 1 / 0")
    (tmp_path / "99.00.00_01_pre_new.sql").write_text("ALTER TABLE procrastinate_jobs ADD COLUMN new text")
    monkeypatch.setattr(queue_tables, "migrations_path", tmp_path)
    await migrate(database_url, dims=8, embedder="e")
    assert any(row[1:3] == ("procrastinate_jobs", "new") for row in columns(database_url))
    await migrate(database_url, dims=8, embedder="e")


async def test_a_newer_version_applies_its_own_migrations(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await migrate(database_url, dims=8, embedder="e")
    folder = tmp_path / "with [brackets]"
    folder.mkdir()
    for name in own_tables.own_migrations():
        (folder / f"{name}.sql").write_text("SELECT 1 / 0")
    (folder / "0099_new.sql").write_text("CREATE TABLE twofold.newer (a int)")
    monkeypatch.setattr(own_tables, "_FOLDER", folder)
    await migrate(database_url, dims=8, embedder="e")
    assert any(row[1:3] == ("newer", "a") for row in columns(database_url))


@pytest.fixture
def role(database_server: DatabaseServer, database_url: str) -> Iterator[str]:
    """Lend the URL of a role without rights on the empty database."""
    with psycopg.connect(database_url, autocommit=True) as admin:
        admin.execute("CREATE ROLE plain LOGIN")
    yield psycopg.conninfo.make_conninfo(database_url, user="plain")
    with psycopg.connect(database_url, autocommit=True) as admin:
        admin.execute("DROP OWNED BY plain CASCADE")
        admin.execute("DROP ROLE plain")


async def test_a_role_that_may_not_create_is_told_what_it_needs(role: str, database_url: str) -> None:
    with pytest.raises(StoreUnsuitable, match=r"Role 'plain' may not create tables.*GRANT CREATE"):
        await migrate(role, dims=8, embedder="e")
    with psycopg.connect(database_url, autocommit=True) as admin:
        database = sql.Identifier(admin.info.dbname)
        admin.execute(sql.SQL("GRANT CREATE ON DATABASE {} TO plain").format(database))
        admin.execute("GRANT CREATE ON SCHEMA public TO plain")
    with pytest.raises(StoreUnsuitable, match="superuser run CREATE EXTENSION vector"):
        await migrate(role, dims=8, embedder="e")
    with psycopg.connect(database_url, autocommit=True) as admin:
        admin.execute("CREATE EXTENSION vector")
    await migrate(role, dims=8, embedder="e")
    assert await recorded_embedder(role) == ("e", 8)


async def test_a_read_only_role_is_told_to_use_the_primary(role: str, database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as admin:
        admin.execute("ALTER ROLE plain SET default_transaction_read_only = on")
    with pytest.raises(StoreUnsuitable, match="read-only for 'plain'"):
        await migrate(role, dims=8, embedder="e")


async def test_a_server_without_pgvector_is_told_to_install_it(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as admin:
        admin.execute(
            sql.SQL("ALTER DATABASE {} SET extension_control_path = '/nowhere'").format(
                sql.Identifier(admin.info.dbname)
            )
        )
    with pytest.raises(StoreUnsuitable, match="no pgvector: install it"):
        await migrate(database_url, dims=8, embedder="e")


async def test_an_old_pgvector_is_told_to_be_updated(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as admin:
        admin.execute("CREATE EXTENSION vector")
        admin.execute("UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")
    with pytest.raises(StoreUnsuitable, match=r"pgvector 0\.7\.4 is too old.*ALTER EXTENSION vector UPDATE"):
        await migrate(database_url, dims=8, embedder="e")


async def test_an_old_server_is_refused(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twofold.store.suitability.LEAST_POSTGRES", 99)
    with pytest.raises(StoreUnsuitable, match="is too old: twofold needs 99"):
        await migrate(database_url, dims=8, embedder="e")


async def test_pgvector_may_be_in_a_schema_of_its_own(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as admin:
        admin.execute("CREATE SCHEMA extensions")
        admin.execute("CREATE EXTENSION vector SCHEMA extensions")
    await migrate(database_url, dims=8, embedder="e")
    pool = await open_pool(database_url)
    await pool.close()


async def test_a_pool_on_a_database_that_was_not_prepared_says_so(database_url: str) -> None:
    with pytest.raises(StoreUnsuitable, match="not prepared"):
        await open_pool(database_url)

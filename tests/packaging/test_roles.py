"""Two database roles: one prepares the database, the other runs on it without any right to change it."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import psycopg
import pytest
from psycopg import errors, sql

from tests.packaging.project import ROOT
from twofold.memory.errors import StoreUnsuitable
from twofold.memory.scope import Scope
from twofold.memory.transcript import Entry, Transcript
from twofold.memory.verbatim import VerbatimText
from twofold.store.migrate import migrate
from twofold.testing import memory_app

ANNA = Scope(tenant_id="acme", user_id="anna")
SCRIPT = (ROOT / "deploy" / "database" / "10-roles.sql").read_bytes()
AT = datetime(2026, 4, 1, 12, tzinfo=UTC)
START = """
import asyncio, sys
from twofold.testing import memory_app
async def main():
    async with memory_app(sys.argv[1]) as app, app.working():
        print(app.models.embedder.name)
asyncio.run(main())
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """One database, as each of the two roles reaches it."""

    migrator: str
    app: str


@pytest.fixture
def roles(database_url: str) -> Iterator[Roles]:
    """Run the script that the guide names, as an administrator does; twice, since that does no harm."""
    with psycopg.connect(database_url, autocommit=True) as admin:
        for _ in range(2):
            admin.execute(SCRIPT)
    urls = [psycopg.conninfo.make_conninfo(database_url, user=f"twofold_{name}") for name in ("migrator", "app")]
    yield Roles(migrator=urls[0], app=urls[1])
    with psycopg.connect(database_url, autocommit=True) as admin:
        admin.execute("DROP OWNED BY twofold_app, twofold_migrator CASCADE")
        admin.execute("DROP ROLE twofold_app, twofold_migrator")


async def test_the_app_role_does_all_of_memorys_work_on_a_prepared_database(roles: Roles) -> None:
    """Accept, save, recall, list, add, re-date, sweep, erase, retry: nothing needs more than the grants."""
    async with memory_app(roles.migrator):
        pass
    async with memory_app(roles.app) as app, app.working():
        said = Entry(event_id="u1", kind="said", author="user", text="I close ledger US_PRIMARY.", at=AT)
        called = Entry(event_id="c1", kind="called", author="agent", tool="close", call_id="1", payload={}, at=AT)
        revision = await app.accept(ANNA, Transcript(session_id="s1", entries=(said, called)), at_once=True)
        assert await app.stored(ANNA, "s1", revision, 30)
        recall = await app.recall(ANNA, "Which ledger?")
        assert (len(recall.facts), len(recall.episodes)) == (1, 1)
        await app.add(ANNA, [VerbatimText(text="Reports are in euros.", at=AT)])
        assert len(await app.memories(ANNA, "semantic")) == 2
        await app.database.memories.touch(ANNA)
        await app.database.memories.sweep()
        assert await app.database.backlog.try_anew() == 0
        await app.database.memories.erase_memory(ANNA, recall.facts[0].key)
        await app.database.memories.erase_session(ANNA, "s1")
        await app.database.memories.erase_user(ANNA)
        assert (await app.erase_tenant(ANNA.tenant_id)).people == 1
        assert (await app.database.memories.remains_of_tenant(ANNA.tenant_id)).total == 0
        assert not await app.memories(ANNA, "semantic")


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE public.mine (a int)",
        "CREATE TABLE twofold.mine (a int)",
        "CREATE SCHEMA mine",
        "ALTER TABLE public.store ADD COLUMN mine int",
        "DROP TABLE twofold.memory",
        "TRUNCATE twofold.audit",
    ],
)
async def test_the_app_role_changes_no_table(roles: Roles, statement: str) -> None:
    await migrate(roles.migrator, dims=64, embedder="testing:words")
    with psycopg.connect(roles.app, autocommit=True) as connection, pytest.raises(errors.InsufficientPrivilege):
        connection.execute(statement.encode())


async def test_a_table_of_a_later_version_is_the_app_roles_too(roles: Roles) -> None:
    await migrate(roles.migrator, dims=64, embedder="testing:words")
    with psycopg.connect(roles.migrator, autocommit=True) as connection:
        connection.execute("CREATE TABLE twofold.later (id bigserial, a int)")
    with psycopg.connect(roles.app, autocommit=True) as connection:
        connection.execute("INSERT INTO twofold.later (a) VALUES (1)")


async def test_a_database_that_one_role_has_used_is_handed_over_to_both(database_url: str, roles: Roles) -> None:
    with psycopg.connect(database_url, autocommit=True) as admin:
        admin.execute("CREATE ROLE single LOGIN; GRANT CREATE ON SCHEMA public TO single")
        admin.execute("DROP SCHEMA twofold")
        admin.execute(sql.SQL("GRANT CREATE ON DATABASE {} TO single").format(sql.Identifier(admin.info.dbname)))
    async with memory_app(psycopg.conninfo.make_conninfo(database_url, user="single")) as app:
        await app.add(ANNA, [VerbatimText(text="Reports are in euros.", at=AT)])
    with psycopg.connect(database_url, autocommit=True) as admin:
        admin.execute("REASSIGN OWNED BY single TO twofold_migrator; DROP OWNED BY single; DROP ROLE single")
        admin.execute(SCRIPT)
    async with memory_app(roles.app) as app:
        await app.add(ANNA, [VerbatimText(text="Totals are in thousands.", at=AT)])
        assert len(await app.memories(ANNA, "semantic")) == 2
    with psycopg.connect(roles.migrator) as connection:
        connection.execute("ALTER TABLE twofold.memory ADD COLUMN later int")
        connection.execute("ALTER TABLE public.store ADD COLUMN later int")


async def test_an_app_role_whose_version_is_another_than_the_databases_may_not_prepare_it(
    database_url: str, roles: Roles
) -> None:
    """Why a rollout begins with the migration, and old replicas are not started anew after it."""
    await migrate(roles.migrator, dims=64, embedder="testing:words")
    with psycopg.connect(database_url, autocommit=True) as admin:
        admin.execute("UPDATE twofold.embedder SET schema_mark = 'of another version'")
    with pytest.raises(StoreUnsuitable, match="'twofold_app' may not create tables"):
        await migrate(roles.app, dims=64, embedder="testing:words")


async def test_the_app_role_on_a_database_that_is_not_prepared_is_told_what_is_missing(roles: Roles) -> None:
    with pytest.raises(StoreUnsuitable, match="'twofold_app' may not create tables"):
        await migrate(roles.app, dims=64, embedder="testing:words")


@pytest.mark.long
def test_four_replicas_start_at_once_on_an_empty_database(roles: Roles) -> None:
    """Without a migration before: one makes the tables, the others wait for it."""
    start = [sys.executable, "-P", "-c", START, roles.migrator]
    replicas = [subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
    ends = [(replica.communicate(timeout=90), replica.returncode) for replica in replicas]
    assert ends == [((b"testing:words\n", b""), 0)] * 4


@pytest.mark.long
def test_four_replicas_of_the_app_role_start_after_the_migration(roles: Roles) -> None:
    asyncio.run(migrate(roles.migrator, dims=64, embedder="testing:words"))
    start = [sys.executable, "-P", "-c", START, roles.app]
    replicas = [subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
    ends = [(replica.communicate(timeout=90), replica.returncode) for replica in replicas]
    assert ends == [((b"testing:words\n", b""), 0)] * 4

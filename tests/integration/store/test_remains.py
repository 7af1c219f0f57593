"""The proof of an erase looks into every table."""

import re
from datetime import timedelta

import pytest

from tests.database import tables_with
from tests.integration.store.conftest import Store
from tests.integration.store.samples import ANNA, BEN, add, delete, episode, remember, said, update
from twofold.memory.scope import Scope
from twofold.store.pool import borrowed
from twofold.store.remains import Remains

CANARY = "Quokkabank"
MARK = Scope(tenant_id="quokkatenant", user_id="quokkauser")
FULL = {
    "public.store",
    "public.store_vectors",
    "twofold.memory",
    "twofold.inbox",
    "twofold.entry",
    "twofold.ledger",
    "twofold.kept",
    "twofold.audit",
    "twofold.procrastinate_jobs",
}
# Of nobody: what the database itself is made of, and its workers. The events of a job go with the job.
NOBODYS = {
    "public.store_migrations",
    "public.vector_migrations",
    "twofold.embedder",
    "twofold.queue_migration",
    "twofold.procrastinate_events",
    "twofold.procrastinate_periodic_defers",
    "twofold.procrastinate_workers",
    "twofold.yoyo_lock",
}
# Of somebody, without a word of theirs: whose it is, and what must not come back.
APART = {"twofold.scope", "twofold.tombstone"}


async def fill(store: Store, scope: Scope) -> str:
    """Have something of a person in every table; return the key of a fact."""
    await store.inbox.accept(scope, "s1", [said("e1", CANARY), said("e2", CANARY)], settle=10)
    gone, key = await remember(store.memories, add(f"{CANARY} one"), add(f"{CANARY} two"), scope=scope, seen=["e1"])
    await remember(store.memories, episode(CANARY, scope), scope=scope)
    await remember(store.memories, update(key, f"{CANARY} three", "s1", "e2"), delete(gone), scope=scope)
    await store.kept.keep(scope, "s1", "semantic", "hash", {"text": CANARY})
    return key


async def texts_of(store: Store) -> set[str]:
    """Return the tables of our two schemas that can hold words or labels."""
    async with borrowed(store.pool) as connection:
        rows = await connection.execute(
            "SELECT DISTINCT table_schema || '.' || table_name AS name FROM information_schema.columns"
            " WHERE table_schema IN ('public', 'twofold')"
            " AND data_type IN ('text', 'jsonb', 'json', 'ARRAY', 'character varying')"
            " AND table_name IN (SELECT tablename FROM pg_tables)"
        )
        return {row["name"] for row in await rows.fetchall()}


async def test_every_table_that_can_hold_words_is_looked_into(store: Store) -> None:
    """A table added later belongs into `remains`, or to those that hold nothing of anybody."""
    looked_into = set((await store.memories.remains(ANNA)).rows)
    assert looked_into == FULL
    tables = {name for name in await texts_of(store) if not re.match(r"twofold\._yoyo_", name)}
    assert tables - NOBODYS - APART == looked_into


async def test_the_proof_finds_a_person_in_every_table(store: Store) -> None:
    await fill(store, MARK)
    for remains in (await store.memories.remains(MARK), await store.memories.remains_of_tenant(MARK.tenant_id)):
        assert {name for name, rows in remains.rows.items() if rows == 0} == set()
    assert tables_with(store.url, CANARY) <= FULL
    assert tables_with(store.url, "quokka") - APART == FULL
    assert (await store.memories.remains(ANNA)).total == 0


@pytest.mark.parametrize("what", ["user", "tenant"])
async def test_the_proof_and_the_tables_agree_that_nothing_is_left_of_a_person(store: Store, what: str) -> None:
    await fill(store, MARK)
    await fill(store, ANNA)
    if what == "user":
        await store.memories.erase_user(MARK)
    else:
        await store.memories.erase_tenant(MARK.tenant_id)
    remains = await store.memories.remains(MARK)
    assert (remains.total, remains.tombstones, remains.running) == (0, int(what == "user"), 0)
    assert (await store.memories.remains_of_tenant(MARK.tenant_id)).tombstones == 1
    await store.memories.erase_user(ANNA)
    assert tables_with(store.url, CANARY) == set()
    assert tables_with(store.url, "quokka") == APART | {"twofold.audit"}  # that something was erased, and of whom


async def test_nothing_is_left_of_a_session(store: Store) -> None:
    await fill(store, MARK)
    await store.inbox.accept(MARK, "s2", [said("e1", "another")], settle=10)
    before = await store.memories.remains(MARK, session_id="s1")
    assert {name for name, rows in before.rows.items() if rows == 0} == set()
    await store.memories.erase_session(MARK, "s1")
    assert (await store.memories.remains(MARK, session_id="s1")).rows == dict.fromkeys(FULL, 0)
    assert (await store.memories.remains(MARK, session_id="s2")).total == 3
    assert tables_with(store.url, CANARY) == set()


async def test_nothing_is_left_of_a_memory(store: Store) -> None:
    key = await fill(store, MARK)
    before = await store.memories.remains(MARK, key=key)
    assert {name: rows for name, rows in before.rows.items() if rows} == {
        "public.store": 1,
        "public.store_vectors": 1,
        "twofold.memory": 1,
        "twofold.audit": 2,
    }
    await store.memories.erase_memory(MARK, key)
    assert (await store.memories.remains(MARK, key=key)).total == 0
    assert (await store.memories.remains(MARK, key="\x00")).total == 0


async def test_a_save_under_way_is_told_apart(store: Store) -> None:
    await store.inbox.accept(BEN, "s1", [said("e1")], settle=0)
    async with borrowed(store.pool) as connection:
        await connection.execute("UPDATE twofold.procrastinate_jobs SET status = 'doing'")
    await store.memories.erase_user(BEN)
    assert await store.memories.remains(BEN) == Remains(rows=dict.fromkeys(FULL, 0), tombstones=1, running=1)


async def test_an_erased_session_that_begins_anew_is_not_done_by_an_older_save(store: Store) -> None:
    for number in range(3):
        await store.inbox.accept(ANNA, "s1", [said(f"e{number}")], settle=10)
    loaded = await store.inbox.load(ANNA, "s1")
    assert loaded is not None
    await store.memories.erase_session(ANNA, "s1")
    store.clock.time += timedelta(minutes=1)
    for number in range(9, 13):
        await store.inbox.accept(ANNA, "s1", [said(f"e{number}", at=store.clock.time)], settle=10)
    await store.inbox.mark_done(ANNA, "s1", loaded.revision, last_erase=loaded.last_erase)
    state = await store.inbox.state(ANNA, "s1")
    assert state is not None
    assert (state.revision, state.done_revision) == (4, 0)
    anew = await store.inbox.load(ANNA, "s1")
    assert anew is not None
    await store.inbox.mark_done(ANNA, "s1", anew.revision, last_erase=anew.last_erase)
    assert (await store.backlog.pending(ANNA)).waiting == 0

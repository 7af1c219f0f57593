"""A tenant is erased with everybody in it, known or not, and stays erased."""

import asyncio
from datetime import timedelta

import pytest

from tests.integration.store.conftest import Store
from tests.integration.store.samples import (
    ANNA,
    BEN,
    HOSTILE_IDS,
    add,
    called,
    episode,
    facts,
    later,
    remember,
    said,
    save_of,
    vectors,
)
from tests.integration.store.test_erase import SECRET, waiting_for_lock, whole_database
from twofold.memory.errors import Conflict, TwofoldError
from twofold.memory.scope import Scope
from twofold.store import erase_people, migrate
from twofold.store.pool import borrowed, transaction
from twofold.store.scopes import lock_scope

OTTO = Scope(tenant_id="other", user_id="anna")
NEWCOMER = Scope(tenant_id="acme", user_id="never seen before")


async def fill(store: Store, scope: Scope, text: str = SECRET) -> None:
    """Remember, accept and keep something of a person."""
    await store.inbox.accept(scope, "s1", [said("e1", text), called("e2")], settle=10)
    await remember(store.memories, add(text), episode(text, scope), scope=scope, seen=["e1"])
    await store.kept.keep(scope, "s2", "semantic", "hash", {"text": text})


async def test_everybody_of_a_tenant_goes_and_nobody_of_another(store: Store) -> None:
    people = [ANNA, BEN, *(Scope(tenant_id="acme", user_id=user) for user in HOSTILE_IDS.values())]
    for scope in people:
        await fill(store, scope)
    await fill(store, OTTO, "Otto stays")
    erased = await store.memories.erase_tenant("acme")
    assert (erased.people, erased.memories, erased.vectors) == (len(people), 2 * len(people), 2 * len(people))
    assert (erased.sessions, erased.entries, erased.jobs) == (len(people), 2 * len(people), len(people))
    assert (erased.audit_entries, erased.extractions, erased.ledger) == (2 * len(people), len(people), len(people))
    whole = await whole_database(store)
    assert "Nordbank" not in whole
    assert "Otto stays" in whole
    assert (await store.memories.remains_of_tenant("acme")).total == 0
    assert (await store.memories.remains_of_tenant("other")).total > 0


async def test_tenants_of_any_name_are_erased_each_alone(store: Store) -> None:
    scopes = [Scope(tenant_id=tenant, user_id="anna") for tenant in HOSTILE_IDS.values()]
    for scope in scopes:
        await fill(store, scope)
    for scope in scopes:
        assert (await store.memories.remains_of_tenant(scope.tenant_id)).total > 0
        assert (await store.memories.erase_tenant(scope.tenant_id)).people == 1
        assert (await store.memories.remains_of_tenant(scope.tenant_id)).total == 0


@pytest.mark.parametrize("scope", [ANNA, NEWCOMER], ids=["known", "unknown"])
async def test_old_sessions_of_anybody_stay_out_and_what_is_said_anew_is_remembered(store: Store, scope: Scope) -> None:
    await fill(store, ANNA)
    await store.memories.erase_tenant("acme")
    assert not (await store.inbox.accept(scope, "s1", [said("e1", SECRET)], settle=10)).changed
    assert not (await store.inbox.accept(scope, "older", [said("e7", SECRET, at=later(-9000))], settle=10)).changed
    await remember(store.memories, add(SECRET, "s1", "e1"), scope=scope)
    assert await facts(store.memories, scope) == ()
    store.clock.time += timedelta(minutes=5)
    anew = said("e3", "Said anew", at=store.clock.time)
    assert (await store.inbox.accept(scope, "s1", [said("e1", SECRET), anew], settle=10)).changed
    await remember(store.memories, add("Said anew", "s1", "e3", at=store.clock.time), scope=scope)
    assert [memory.text for memory in await facts(store.memories, scope)] == ["Said anew"]
    assert "Nordbank" not in await whole_database(store)


@pytest.mark.parametrize("what", ["user", "tenant"])
async def test_events_dated_in_the_future_stay_out_also_those_erased_before(store: Store, what: str) -> None:
    ahead = store.clock.time + timedelta(days=400)
    for session in ("s1", "s2"):
        await store.inbox.accept(ANNA, session, [said("e1", SECRET, at=ahead)], settle=10)
    await store.memories.erase_session(ANNA, "s1")
    await (store.memories.erase_user(ANNA) if what == "user" else store.memories.erase_tenant("acme"))
    for session in ("s1", "s2"):
        assert not (await store.inbox.accept(ANNA, session, [said("e1", SECRET, at=ahead)], settle=10)).changed
    assert (await store.inbox.accept(ANNA, "s3", [said("e1", "another", at=ahead)], settle=10)).changed


async def test_a_save_prepared_before_is_refused_also_of_somebody_new(store: Store) -> None:
    await fill(store, ANNA)
    known = {scope: (await store.memories.progress(scope, "s1")).generation for scope in (ANNA, NEWCOMER)}
    await store.memories.erase_tenant("acme")
    for scope, generation in known.items():
        save = save_of(add(SECRET, "s1", "e1"), scope=scope, generation=generation, seen=["e1"])
        with pytest.raises(Conflict):
            await store.memories.save(save, vectors(SECRET))
    assert (await store.memories.remains_of_tenant("acme")).total == 0
    assert await remember(store.memories, add(SECRET, "s1", "e1"), scope=NEWCOMER) == []


async def test_somebody_new_who_is_being_written_is_waited_for(store: Store) -> None:
    async with transaction(store.pool) as connection:
        await lock_scope(connection, NEWCOMER, store.clock.time)
        erasing = asyncio.create_task(store.memories.erase_tenant("acme"))
        await waiting_for_lock(store)
        await connection.execute(
            "INSERT INTO twofold.ledger (tenant_label, user_label, session_label, event_ids)"
            " SELECT tenant_label, user_label, 's1', '{e1}' FROM twofold.scope"
        )
        # Whoever is new to another tenant does not wait for it.
        assert (await store.inbox.accept(OTTO, "s1", [said("e1")], settle=10)).changed
        assert not erasing.done()
    assert (await erasing).ledger == 1
    assert (await store.memories.remains_of_tenant("acme")).total == 0


async def test_a_persons_own_later_erase_outlives_that_of_the_tenant(store: Store) -> None:
    """An erase of a big tenant takes its time: one that began at noon reaches Anna after she erased herself."""
    noon = store.clock.time
    await fill(store, ANNA)
    between = [said("e5", SECRET, at=noon + timedelta(minutes=5))]
    await store.inbox.accept(ANNA, "s5", between, settle=10)
    store.clock.time = noon + timedelta(minutes=10)
    await store.memories.erase_user(ANNA)
    await erase_people.erase_tenant(store.pool, store.queue, "acme", noon)
    assert not (await store.inbox.accept(ANNA, "s5", between, settle=10)).changed
    assert not (await store.inbox.accept(ANNA, "s1", [said("e1", SECRET, at=noon)], settle=10)).changed
    anew = [said("e6", "Said anew", at=noon + timedelta(minutes=11))]
    assert (await store.inbox.accept(ANNA, "s5", anew, settle=10)).changed


async def test_a_later_erase_of_the_tenant_outlives_one_that_is_dated_before_it(store: Store) -> None:
    noon = store.clock.time
    await erase_people.erase_tenant(store.pool, store.queue, "acme", noon + timedelta(minutes=10))
    await erase_people.erase_tenant(store.pool, store.queue, "acme", noon)
    between = [said("e5", SECRET, at=noon + timedelta(minutes=5))]
    assert not (await store.inbox.accept(NEWCOMER, "s5", between, settle=10)).changed


async def test_erases_done_again_and_again_leave_one_tombstone_each(store: Store) -> None:
    for _ in range(3):
        store.clock.time += timedelta(minutes=1)
        await store.memories.erase_user(ANNA)
        await store.memories.erase_tenant("acme")
    async with borrowed(store.pool) as connection:
        rows = await (await connection.execute("SELECT user_label FROM twofold.tombstone")).fetchall()
    assert [row["user_label"] for row in rows] == [None]


async def test_somebody_new_who_is_being_erased_is_waited_for(store: Store) -> None:
    async with transaction(store.pool) as connection:
        await erase_people.erase_user(connection, store.queue, NEWCOMER, store.clock.time)
        erasing = asyncio.create_task(store.memories.erase_tenant("acme"))
        await waiting_for_lock(store)
    assert (await erasing).people == 1


async def test_an_erase_that_breaks_off_leaves_whole_people_keeps_all_out_and_goes_on(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = [Scope(tenant_id="acme", user_id=f"user-{number}") for number in range(5)]
    for scope in people:
        await fill(store, scope)
    monkeypatch.setattr(erase_people, "BATCH", 2)
    discard, calls = store.queue.discard_people, 0

    async def breaks_off(*given: object) -> int:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise TwofoldError("the database went away")
        return await discard(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(store.queue, "discard_people", breaks_off)
    with pytest.raises(TwofoldError):
        await store.memories.erase_tenant("acme")
    left = [(await store.memories.remains(scope)).total for scope in people]
    assert left[:2] == [0, 0]
    assert left[2] == left[3] == left[4] > 0
    assert not (await store.inbox.accept(people[0], "s9", [said("e1", SECRET)], settle=10)).changed
    again = await store.memories.erase_tenant("acme")
    assert (again.memories, again.sessions) == (6, 3)
    assert (await store.memories.remains_of_tenant("acme")).total == 0


async def test_an_older_database_learns_of_erased_tenants(store: Store) -> None:
    async with borrowed(store.pool) as connection:
        await connection.execute("ALTER TABLE twofold.tombstone ALTER COLUMN user_label SET NOT NULL")
        await connection.execute("DELETE FROM twofold._yoyo_migration WHERE migration_id = '0002_erased_tenants'")
        await connection.execute("UPDATE twofold.embedder SET schema_mark = 'own 0001_tables, older'")
    recorded = await migrate.recorded_embedder(store.url)
    assert recorded is not None
    await migrate.migrate(store.url, embedder=recorded[0], dims=recorded[1])
    await store.memories.erase_tenant("acme")

"""Memories live a number of days after their person last used any of them."""

import asyncio

import pytest

from tests.integration.store.conftest import Store
from tests.integration.store.samples import (
    ANNA,
    BEN,
    add,
    episode,
    facts,
    remember,
    said,
    save_of,
    update,
    vectors,
)
from twofold.memory.errors import Conflict
from twofold.store.memories import PostgresMemories
from twofold.store.pool import borrowed
from twofold.store.rows import prefix_of


async def rows(store: Store, table: str) -> int:
    async with borrowed(store.pool) as connection:
        return len(await (await connection.execute(f"SELECT 1 FROM {table}")).fetchall())  # noqa: S608


async def test_a_touch_re_dates_everything_of_the_person_for_another_period(store: Store) -> None:
    await remember(store.memories, add("old fact"), episode("old run"))
    store.clock.pass_days(29)
    assert await store.memories.touch(ANNA)
    store.clock.pass_days(29)
    assert len(await facts(store.memories)) == 1
    assert len(await facts(store.memories, kind="episodic")) == 1
    store.clock.pass_days(2)
    assert await facts(store.memories) == ()


async def test_a_save_re_dates_the_other_memories_too(store: Store) -> None:
    await remember(store.memories, add("january"))
    store.clock.pass_days(20)
    await remember(store.memories, add("february", "s2"), session_id="s2")
    store.clock.pass_days(20)
    assert len(await facts(store.memories)) == 2


async def test_a_touch_wins_once_a_day(store: Store) -> None:
    await remember(store.memories, add("fact"))
    assert not await store.memories.touch(ANNA)
    store.clock.pass_days(1)
    assert sum(await asyncio.gather(*(store.memories.touch(ANNA) for _ in range(8)))) == 1


async def test_a_touch_leaves_other_people_alone(store: Store) -> None:
    await remember(store.memories, add("fact"), scope=BEN)
    await remember(store.memories, add("fact"))
    store.clock.pass_days(20)
    await store.memories.touch(ANNA)
    store.clock.pass_days(20)
    assert (len(await facts(store.memories)), len(await facts(store.memories, BEN))) == (1, 0)


async def test_nothing_revives_what_has_expired(store: Store) -> None:
    [key] = await remember(store.memories, add("expired"))
    store.clock.pass_days(31)
    await store.memories.touch(ANNA)
    assert await facts(store.memories) == ()
    await remember(store.memories, update(key, "expired and reworded"))
    [fact] = await facts(store.memories)
    assert (fact.rev, len(fact.sources)) == (1, 1)


async def test_an_expired_fact_said_again_is_a_new_one(store: Store) -> None:
    await remember(store.memories, add("fact", "s1"))
    store.clock.pass_days(31)
    await remember(store.memories, add("fact", "s2"), session_id="s2")
    [fact] = await facts(store.memories)
    assert [source.session_id for source in fact.sources] == ["s2"]


async def test_what_was_seen_of_a_session_expires_with_its_person(store: Store) -> None:
    await remember(store.memories, add("fact"), seen=["e1"])
    store.clock.pass_days(20)
    await store.memories.touch(ANNA)
    store.clock.pass_days(20)
    assert (await store.memories.progress(ANNA, "s1")).seen_event_ids == {"e1"}
    store.clock.pass_days(11)
    assert (await store.memories.progress(ANNA, "s1")).seen_event_ids == set()


async def test_what_expired_of_a_session_is_not_taken_for_stored(store: Store) -> None:
    """Before the sweep has come, when somebody else's save makes this one look whether it repeats what is there."""
    await remember(store.memories, add("old"), seen=["e1"])
    store.clock.pass_days(31)
    generation = (await store.memories.progress(ANNA, "s1")).generation
    await remember(store.memories, add("of another session", "s2"), session_id="s2")
    late = save_of(add("said again"), generation=generation, seen=["e1"])
    with pytest.raises(Conflict):
        await store.memories.save(late, vectors("said again"))
    await remember(store.memories, add("said again"), seen=["e1"])
    assert {fact.text for fact in await facts(store.memories)} == {"of another session", "said again"}


async def test_a_session_that_goes_on_after_it_expired_does_not_revive_what_was_seen_of_it(store: Store) -> None:
    await remember(store.memories, add("old"), seen=["e1", "e2"])
    store.clock.pass_days(31)
    await remember(store.memories, add("new", "s1", "e3"), seen=["e3"])
    assert (await store.memories.progress(ANNA, "s1")).seen_event_ids == {"e3"}
    await remember(store.memories, add("newer", "s1", "e4"), seen=["e4"])
    assert (await store.memories.progress(ANNA, "s1")).seen_event_ids == {"e3", "e4"}


async def test_a_sweep_deletes_the_expired_and_nothing_else(store: Store) -> None:
    await remember(store.memories, add("old"), seen=["e1"])
    await store.inbox.accept(ANNA, "done", [said("e1")], settle=0)
    await store.inbox.mark_done(ANNA, "done", 1)
    await store.inbox.accept(ANNA, "waits", [said("e1")], settle=0)
    await store.kept.keep(ANNA, "s1", "episodic", "hash", 1)
    store.clock.pass_days(31)
    await remember(store.memories, add("new"), scope=BEN)
    assert await store.memories.sweep() >= 4
    tables = [
        "public.store",
        "public.store_vectors",
        "twofold.memory",
        "twofold.inbox",
        "twofold.ledger",
        "twofold.kept",
    ]
    assert [await rows(store, table) for table in tables] == [1, 1, 1, 1, 0, 0]
    assert [fact.text for fact in await facts(store.memories, BEN)] == ["new"]


async def test_the_history_goes_a_while_after_its_memory(store: Store) -> None:
    [key] = await remember(store.memories, add("old"))
    store.clock.pass_days(31)
    await store.memories.sweep()
    assert await store.memories.history(ANNA, key) == ()
    [kept] = await remember(store.memories, add("lives"), scope=BEN)
    store.clock.pass_days(20)
    await store.memories.touch(BEN)
    store.clock.pass_days(20)
    await store.memories.sweep()
    assert len(await store.memories.history(BEN, kept)) == 1


async def test_nothing_is_left_of_a_person_whose_memories_expired(store: Store) -> None:
    await remember(store.memories, add("old"))
    store.clock.pass_days(62)
    await store.memories.sweep()
    assert [await rows(store, table) for table in ("twofold.scope", "twofold.audit")] == [0, 0]


async def test_without_a_time_to_live_nothing_expires(store: Store) -> None:
    endless = PostgresMemories(store.pool, dims=32, ttl_days=None, clock=store.clock, queue=store.queue)
    await remember(endless, add("fact"))
    store.clock.pass_days(5000)
    await endless.touch(ANNA)
    await endless.sweep()
    assert len(await facts(endless)) == 1


async def test_the_rows_expire_for_langgraph_too(store: Store) -> None:
    await remember(store.memories, add("fact"))
    async with borrowed(store.pool) as connection:
        row = await (
            await connection.execute(
                "SELECT ttl_minutes, expires_at FROM public.store WHERE prefix = %s",
                (prefix_of(ANNA, "semantic"),),
            )
        ).fetchone()
    assert row is not None
    assert row["ttl_minutes"] == 43200
    assert abs((row["expires_at"] - store.clock.time).total_seconds() - 30 * 86400) < 1

"""Reading everything that is kept of a person, in batches."""

from collections.abc import AsyncIterator
from typing import TypeVar

import pytest

from tests.integration.store.conftest import TTL_DAYS, Store
from tests.integration.store.samples import ANNA, BEN, HOSTILE_IDS, add, episode, later, remember, said
from twofold.memory.scope import Scope
from twofold.store.everything import Everything
from twofold.store.pool import borrowed

T = TypeVar("T")


async def all_of(items: AsyncIterator[T]) -> list[T]:
    return [item async for item in items]


def kept(store: Store, scope: Scope = ANNA, batch: int = 200) -> Everything:
    return Everything(store.pool, scope, store.clock.now(), batch)


@pytest.mark.parametrize("batch", [1, 2, 3, 200])
async def test_everything_is_told_once_whatever_the_size_of_a_batch(store: Store, batch: int) -> None:
    await remember(store.memories, *(add(f"fact {number}") for number in range(6)), episode("an episode"))
    await store.inbox.accept(ANNA, "s1", [said(f"e{n}", at=later(n % 3)) for n in range(6)], settle=9)
    await store.inbox.accept(ANNA, "s2", [said("e1")], settle=9)
    everything = kept(store, batch=batch)
    memories = await all_of(everything.memories())
    assert sorted(memory.text for memory in memories) == ["an episode", *(f"fact {number}" for number in range(6))]
    changes = await all_of(everything.changes())
    assert sorted(change.after for change in changes) == sorted(memory.text for memory in memories)
    parts = await all_of(everything.sessions())
    assert all(0 < len(part.entries) <= batch for part in parts)
    entries = [(part.session_id, entry["event_id"]) for part in parts for entry in part.entries]
    assert entries == [*(("s1", f"e{n}") for n in (0, 3, 1, 4, 2, 5)), ("s2", "e1")]


async def test_nothing_of_another_person_is_told(store: Store) -> None:
    await remember(store.memories, add("Ben's"), scope=BEN)
    await store.inbox.accept(BEN, "s1", [said("e1")], settle=9)
    everything = kept(store)
    assert await all_of(everything.memories()) == []
    assert await all_of(everything.changes()) == []
    assert await all_of(everything.sessions()) == []


async def test_what_has_expired_is_not_kept_and_what_waits_is(store: Store) -> None:
    await remember(store.memories, add("old"))
    for session_id in ("done", "waits"):
        await store.inbox.accept(ANNA, session_id, [said("e1")], settle=9)
    await store.inbox.mark_done(ANNA, "done", 1)
    store.clock.pass_days(TTL_DAYS)
    everything = kept(store)
    assert await all_of(everything.memories()) == []
    assert [(part.session_id, part.stored) for part in await all_of(everything.sessions())] == [("waits", False)]


async def test_a_session_without_entries_is_told_too(store: Store) -> None:
    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=9)
    async with borrowed(store.pool) as connection:
        await connection.execute("DELETE FROM twofold.entry")
    [part] = await all_of(kept(store).sessions())
    assert (part.session_id, part.entries) == ("s1", [])


async def test_ids_are_told_as_they_were_given(store: Store) -> None:
    for session_id in HOSTILE_IDS.values():
        await store.inbox.accept(ANNA, session_id, [said("e1")], settle=9)
    parts = await all_of(kept(store, batch=4).sessions())
    assert {part.session_id for part in parts} == set(HOSTILE_IDS.values())


async def test_a_reader_that_stops_holds_no_connection(store: Store) -> None:
    await remember(store.memories, *(add(f"fact {number}") for number in range(6)))
    memories = kept(store, batch=2).memories()
    await anext(memories)
    assert store.pool.get_stats()["pool_available"] == store.pool.get_stats()["pool_size"]
    await memories.aclose()

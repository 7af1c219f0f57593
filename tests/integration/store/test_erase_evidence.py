"""The words that a memory came from go with it, unless another memory rests on them."""

import pytest

from tests.integration.store.conftest import Store
from tests.integration.store.samples import (
    ANNA,
    add,
    called,
    delete,
    episode,
    facts,
    later,
    remember,
    said,
    update,
)
from tests.integration.store.test_erase import whole_database
from twofold.memory.transcript import Entry

WORDS = "my bank is Nordbank"
FACT = "Anna banks at Nordbank"


def exchange(number: int, text: str, answer: str = "Noted.") -> list[Entry]:
    """Return what the user said and what the agent answered, of one invocation."""
    at, invocation = later(number), f"i{number}"
    return [
        said(f"u{number}", text, at=at, invocation_id=invocation),
        said(f"a{number}", answer, at=at, author="agent", invocation_id=invocation),
    ]


async def left(store: Store) -> list[str]:
    loaded = await store.inbox.load(ANNA, "s1")
    return [] if loaded is None else [entry.event_id for entry in loaded.transcript.entries]


async def test_the_words_of_a_fact_go_with_it_and_so_does_what_the_agent_said_to_them(store: Store) -> None:
    session = [*exchange(1, WORDS, "Nordbank, noted."), *exchange(2, "hello")]
    await store.inbox.accept(ANNA, "s1", session, settle=10)
    [key] = await remember(store.memories, add(FACT, "s1", "u1"))
    erased = await store.memories.erase_memory(ANNA, key)
    assert (erased.entries, erased.spared) == (2, 0)
    assert await left(store) == ["u2", "a2"]
    assert "Nordbank" not in await whole_database(store)


@pytest.mark.parametrize("grown", [False, True])
async def test_a_session_handed_over_again_does_not_bring_the_words_back(store: Store, grown: bool) -> None:  # noqa: FBT001
    session = [*exchange(1, WORDS, "Nordbank, noted."), *exchange(2, "hello")]
    await store.inbox.accept(ANNA, "s1", session, settle=10)
    [key] = await remember(store.memories, add(FACT, "s1", "u1"))
    await store.memories.erase_memory(ANNA, key)
    more = exchange(3, "more") if grown else []
    assert (await store.inbox.accept(ANNA, "s1", [*session, *more], settle=10)).changed is grown
    assert await left(store) == ["u2", "a2", *(entry.event_id for entry in more)]
    assert "Nordbank" not in await whole_database(store)


async def test_the_words_stay_out_also_when_the_session_had_expired(store: Store) -> None:
    [key] = await remember(store.memories, add(FACT, "s1", "u1"))
    await store.memories.erase_memory(ANNA, key)
    await store.inbox.accept(ANNA, "s1", exchange(1, WORDS), settle=10)
    assert "Nordbank" not in await whole_database(store)


async def test_words_that_another_memory_rests_on_stay_until_that_one_is_erased(store: Store) -> None:
    session = [*exchange(1, f"{WORDS}, close the books"), called("c1", at=later(1))]
    await store.inbox.accept(ANNA, "s1", session, settle=10)
    keys = await remember(
        store.memories, add(FACT, "s1", "u1"), episode("closed the books", ANNA, "s1", "u1", "a1", "c1", at=later(1))
    )
    first = await store.memories.erase_memory(ANNA, keys[0])
    assert (first.entries, first.spared) == (0, 1)
    assert await left(store) == ["u1", "a1", "c1"]
    second = await store.memories.erase_memory(ANNA, keys[1])
    assert (second.entries, second.spared) == (3, 0)
    assert await left(store) == []
    assert "Nordbank" not in await whole_database(store)


async def test_the_steps_of_an_erased_episode_go_and_what_facts_rest_on_stays(store: Store) -> None:
    session = [*exchange(1, "close the books"), called("c1", at=later(1)), *exchange(2, "hello")]
    await store.inbox.accept(ANNA, "s1", session, settle=10)
    _, key = await remember(
        store.memories, add("Anna closes books", "s1", "u1"), episode("told", ANNA, "s1", "u1", "a1", "c1", at=later(1))
    )
    erased = await store.memories.erase_memory(ANNA, key)
    assert (erased.entries, erased.spared) == (2, 1)
    assert await left(store) == ["u1", "u2", "a2"]


async def test_steps_whose_episode_is_still_to_come_stay(store: Store) -> None:
    session = [*exchange(1, WORDS), called("c1", at=later(1))]
    await store.inbox.accept(ANNA, "s1", session, settle=10)
    [key] = await remember(store.memories, add(FACT, "s1", "u1"))
    await store.memories.erase_memory(ANNA, key)
    assert await left(store) == ["c1"]


async def test_what_was_said_and_is_not_extracted_yet_stays(store: Store) -> None:
    await store.inbox.accept(ANNA, "s1", exchange(1, WORDS), settle=10)
    [key] = await remember(store.memories, add(FACT, "s1", "u1"), seen=["u1", "a1"])
    await store.inbox.accept(ANNA, "s1", exchange(2, "my ledger is US Primary"), settle=10)
    await store.memories.erase_memory(ANNA, key)
    assert await left(store) == ["u2", "a2"]


async def test_the_words_of_each_session_go_that_a_fact_rested_on(store: Store) -> None:
    for session in ("s1", "s2"):
        await store.inbox.accept(ANNA, session, exchange(1, WORDS), settle=10)
        [key] = await remember(store.memories, add(FACT, session, "u1"), session_id=session)
    assert (await store.memories.erase_memory(ANNA, key)).entries == 4
    assert "Nordbank" not in await whole_database(store)


async def test_the_words_of_a_memory_that_is_gone_already_can_be_erased(store: Store) -> None:
    [key] = await remember(store.memories, add(FACT, "s1", "u1"))
    await remember(store.memories, update(key, f"{FACT} now", "s1", "u2"))
    await remember(store.memories, delete(key))
    assert "Nordbank" in await whole_database(store)
    erased = await store.memories.erase_memory(ANNA, key)
    assert (erased.memories, erased.audit_entries) == (0, 3)
    assert "Nordbank" not in await whole_database(store)
    await remember(store.memories, add(FACT, "s1", "u1"))
    assert await facts(store.memories) == ()
    assert (await store.memories.erase_memory(ANNA, key)).nothing

"""A person's own correction of a fact."""

import asyncio
from datetime import timedelta

import pytest
from langgraph.store.postgres import AsyncPostgresStore

from tests.integration.store.conftest import Store
from tests.integration.store.samples import (
    ANNA,
    BEN,
    NOON,
    add,
    episode,
    facts,
    found,
    remember,
    update,
    vector,
)
from twofold.memory.errors import Conflict, InvalidInput, NotFound
from twofold.memory.memories import Memory
from twofold.memory.scope import Scope, namespace


async def correct(store: Store, key: str, text: str, *, rev: int | None = None, scope: Scope = ANNA) -> Memory:
    return await store.memories.correct(scope, key, text, vector(text), rev=rev)


async def texts(store: Store) -> list[str]:
    return sorted(memory.text for memory in await facts(store.memories))


async def test_a_corrected_fact_has_the_new_words_their_vector_and_a_source_of_its_own(store: Store) -> None:
    [key] = await remember(store.memories, add("ledger US_PRIMARY"))
    store.clock.pass_days(1)
    corrected = await correct(store, key, "ledger EU_PRIMARY")
    assert (corrected.key, corrected.text, corrected.rev) == (key, "ledger EU_PRIMARY", 2)
    assert corrected == await store.memories.get(ANNA, key)
    said, own = corrected.sources
    assert (said.session_id, said.origin) == ("s1", "user said")
    assert (own.session_id, own.origin, own.at) == ("", "user", store.clock.now())
    assert corrected.created_at == NOON
    assert corrected.updated_at == store.clock.now()
    assert await found(store.memories, "EU_PRIMARY") == ["ledger EU_PRIMARY"]
    [best] = await store.memories.search(ANNA, "semantic", query="x", vector=vector("ledger EU_PRIMARY"), limit=1)
    assert best.score == pytest.approx(1.0, abs=1e-6)


async def test_a_correction_has_its_line_in_the_history(store: Store) -> None:
    [key] = await remember(store.memories, add("one"))
    await correct(store, key, "two")
    await correct(store, key, "three")
    newest, before, first = await store.memories.history(ANNA, key)
    assert [(line.action, line.before, line.after) for line in (newest, before, first)] == [
        ("UPDATE", "two", "three"),
        ("UPDATE", "one", "two"),
        ("ADD", "", "one"),
    ]
    assert (newest.origin, newest.session_id, newest.model) == ("user", "", "")
    assert newest.event_ids != before.event_ids


async def test_nothing_of_another_person_nor_of_nobody_is_corrected(store: Store) -> None:
    [key] = await remember(store.memories, add("Anna's"))
    for scope, name in ((BEN, key), (ANNA, "unknown"), (ANNA, "nul\x00"), (ANNA, "half \ud800")):
        with pytest.raises(NotFound):
            await correct(store, name, "Ben's", scope=scope)
    assert await texts(store) == ["Anna's"]
    assert await facts(store.memories, BEN) == ()


async def test_what_has_expired_or_was_erased_is_not_brought_back_by_a_correction(store: Store) -> None:
    [expired, erased] = await remember(store.memories, add("expired"), add("erased"))
    await store.memories.erase_memory(ANNA, erased)
    store.clock.pass_days(40)
    for key in (expired, erased):
        with pytest.raises(NotFound):
            await correct(store, key, "back again")
    assert await texts(store) == []


async def test_an_episode_is_not_corrected(store: Store) -> None:
    [key] = await remember(store.memories, episode("Closed company 1000: FAILURE"))
    with pytest.raises(InvalidInput, match="an episode is what happened; only facts are corrected"):
        await correct(store, key, "It went well")


async def test_a_correction_of_older_words_is_a_conflict_that_names_both(store: Store) -> None:
    [key] = await remember(store.memories, add("one"))
    assert (await correct(store, key, "two", rev=1)).rev == 2
    with pytest.raises(Conflict, match="at rev 2, and rev 1 was corrected"):
        await correct(store, key, "three", rev=1)
    with pytest.raises(Conflict, match="at rev 2, and rev 1"):
        await store.memories.correctable(ANNA, key, rev=1)
    assert await texts(store) == ["two"]


async def test_of_two_corrections_of_the_same_words_at_once_one_wins_and_the_other_is_told(store: Store) -> None:
    [key] = await remember(store.memories, add("one"))
    results = await asyncio.gather(
        *(correct(store, key, text, rev=1) for text in ("two", "three")), return_exceptions=True
    )
    [won] = [result for result in results if isinstance(result, Memory)]
    [lost] = [result for result in results if not isinstance(result, Memory)]
    assert isinstance(lost, Conflict)
    assert await texts(store) == [won.text]


async def test_words_of_another_fact_extend_that_one_and_delete_this_one(store: Store) -> None:
    [one, two] = await remember(store.memories, add("ledger US"), add("ledger EU"))
    kept = await correct(store, one, "Ledger  eu")
    assert (kept.key, kept.text, kept.rev) == (two, "ledger EU", 1)
    assert [source.origin for source in kept.sources] == ["user said", "user"]
    assert await texts(store) == ["ledger EU"]
    assert [line.action for line in await store.memories.history(ANNA, one)] == ["DELETE", "ADD"]
    assert [line.action for line in await store.memories.history(ANNA, two)] == ["NOOP", "ADD"]


async def test_a_correction_to_the_same_words_changes_none_and_is_on_record(store: Store) -> None:
    [key] = await remember(store.memories, add("ledger US"))
    same = await correct(store, key, "ledger US", rev=1)
    assert (same.text, same.rev) == ("ledger US", 1)
    assert [line.action for line in await store.memories.history(ANNA, key)] == ["NOOP", "ADD"]


async def test_a_correction_of_the_spelling_alone_is_one(store: Store) -> None:
    [key] = await remember(store.memories, add("ledger us_primary"))
    assert (await correct(store, key, "Ledger US_PRIMARY")).rev == 2
    assert await texts(store) == ["Ledger US_PRIMARY"]


async def test_a_later_session_may_change_a_corrected_fact_as_any_other(store: Store) -> None:
    [key] = await remember(store.memories, add("ledger US"))
    await correct(store, key, "ledger EU")
    await remember(store.memories, update(key, "ledger ASIA", "s2"), session_id="s2")
    assert await texts(store) == ["ledger EU"], "said before the correction, stored after it"
    since = store.clock.now() + timedelta(minutes=1)
    await remember(store.memories, update(key, "ledger ASIA", "s3", at=since), session_id="s3")
    assert await texts(store) == ["ledger ASIA"]


async def test_a_corrected_fact_outlives_the_session_it_came_from_and_goes_with_the_person(store: Store) -> None:
    [key] = await remember(store.memories, add("ledger US"))
    await correct(store, key, "ledger EU")
    await store.memories.erase_session(ANNA, "s1")
    [fact] = await facts(store.memories)
    assert [source.origin for source in fact.sources] == ["user"]
    await store.memories.erase_user(ANNA)
    assert await texts(store) == []


async def test_an_erased_correction_stays_erased_and_its_words_may_be_said_anew(store: Store) -> None:
    [key] = await remember(store.memories, add("ledger US"))
    await correct(store, key, "ledger EU")
    await store.memories.erase_memory(ANNA, key)
    assert all(line.before == line.after == "" for line in await store.memories.history(ANNA, key))
    [again] = await remember(store.memories, add("ledger EU", "s2", "e9"), session_id="s2")
    assert (await correct(store, again, "ledger ASIA")).text == "ledger ASIA"


async def test_a_correction_is_a_save_that_keeps_what_the_person_has(store: Store) -> None:
    [key, _] = await remember(store.memories, add("one"), add("other"))
    for _ in range(3):
        store.clock.pass_days(25)
        current = await store.memories.get(ANNA, key)
        assert current is not None
        await correct(store, key, f"rev {current.rev}")
    assert await texts(store) == ["other", "rev 3"]


async def test_a_fact_of_stock_code_is_corrected_too(store: Store) -> None:
    async with AsyncPostgresStore.from_conn_string(store.url) as stock:
        await stock.aput(namespace(ANNA, "semantic"), "k", {"kind": "Memory", "content": {"content": "ledger US"}})
    corrected = await correct(store, "k", "ledger EU")
    assert (corrected.key, corrected.rev) == ("k", 2)
    assert await found(store.memories, "ledger EU") == ["ledger EU"]


async def test_a_clock_that_was_set_back_to_before_an_erasure_is_told(store: Store) -> None:
    """What is dated before its person was erased is kept out, a correction too."""
    await store.memories.erase_user(ANNA)
    store.clock.pass_days(1)
    [key] = await remember(store.memories, add("ledger US", at=store.clock.now()))
    store.clock.pass_days(-2)
    with pytest.raises(Conflict, match="which is before this person was erased"):
        await correct(store, key, "ledger EU")
    assert await texts(store) == ["ledger US"]
    store.clock.pass_days(2)
    await correct(store, key, "ledger EU")
    assert await texts(store) == ["ledger EU"]


async def test_a_correction_that_fails_changes_nothing(store: Store) -> None:
    [key] = await remember(store.memories, add("one"))
    with pytest.raises(InvalidInput):
        await store.memories.correct(ANNA, key, "nul \x00", vector("nul \x00"), rev=None)
    assert await texts(store) == ["one"]
    assert len(await store.memories.history(ANNA, key)) == 1

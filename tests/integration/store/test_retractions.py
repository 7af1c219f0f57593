"""What was undone after it was stored: facts give way to what still counts, in one save like any other."""

from datetime import timedelta

import pytest

from tests.integration.store.conftest import Store
from tests.integration.store.samples import (
    ANNA,
    BEN,
    NOON,
    add,
    delete,
    facts,
    found,
    later,
    remember,
    save_of,
    update,
    vectors,
)
from twofold.memory.errors import Conflict
from twofold.memory.memories import Applied, texts_of
from twofold.memory.rewinds import Undone
from twofold.memory.scope import Scope

EUR, USD = "Reports in EUR", "Reports in USD"


def undone(*event_ids: str, marker: str = "r") -> Undone:
    return Undone(event_ids=frozenset(event_ids), marker_id=marker, at=NOON + timedelta(hours=1))


async def rewind(
    store: Store, *event_ids: str, session_id: str = "s1", scope: Scope = ANNA, marker: str = "r"
) -> list[Applied]:
    """Save what a rewind of these events retracts."""
    progress = await store.memories.progress(scope, session_id)
    retracted = await store.memories.retractions(scope, session_id, undone(*event_ids, marker=marker))
    save = save_of(generation=progress.generation, session_id=session_id, scope=scope, retracted=retracted)
    return list(await store.memories.save(save, vectors(*texts_of(save))))


async def told(store: Store) -> list[str]:
    return sorted(fact.text for fact in await facts(store.memories))


async def test_a_fact_said_only_there_is_gone_with_its_vector_and_its_history_says_why(store: Store) -> None:
    [key] = await remember(store.memories, add(EUR, "s1", "u1"))
    [applied] = await rewind(store, "u1")
    assert (applied.action, applied.key) == ("DELETE", key)
    assert await told(store) == []
    assert await found(store.memories, EUR) == []
    newest, _ = await store.memories.history(ANNA, key)
    assert (newest.action, newest.before, list(newest.event_ids), newest.session_id) == ("DELETE", EUR, ["r"], "s1")


async def test_earlier_words_come_back_with_their_vector(store: Store) -> None:
    [key] = await remember(store.memories, add(EUR, "s1", "e1"))
    await remember(store.memories, update(key, USD, "s2", "u1"), session_id="s2")
    await rewind(store, "u1", session_id="s2")
    [fact] = await facts(store.memories)
    assert (fact.key, fact.text, [source.session_id for source in fact.sources]) == (key, EUR, ["s1"])
    assert await found(store.memories, EUR) == [EUR]
    await store.memories.erase_session(ANNA, "s2")
    assert await told(store) == [EUR], "the words are of the first session again"


async def test_a_deletion_that_was_undone_brings_the_fact_back(store: Store) -> None:
    [key] = await remember(store.memories, add(EUR, "s1", "e1"))
    gone = delete(key, "s2")
    await remember(store.memories, gone, session_id="s2")
    assert await told(store) == []
    await rewind(store, *gone.source.event_ids, session_id="s2")
    [fact] = await facts(store.memories)
    assert (fact.key, fact.text, fact.rev) == (key, EUR, 1)


async def test_what_comes_back_is_as_old_as_it_was(store: Store) -> None:
    """So that what was said since, and is stored later, still changes it."""
    [key] = await remember(store.memories, add(EUR, "s1", "e1", at=later(-60)))
    gone = delete(key, "s2", at=later(-30))
    await remember(store.memories, gone, session_id="s2")
    await rewind(store, *gone.source.event_ids, session_id="s2")
    [fact] = await facts(store.memories)
    assert fact.updated_at == later(-60)


async def test_words_of_an_undone_correction_go_where_the_words_before_were_erased(store: Store) -> None:
    [key] = await remember(store.memories, add(EUR, "s1", "e1"))
    await remember(store.memories, add(EUR, "s3", "e3"), session_id="s3")
    await remember(store.memories, update(key, USD, "s2", "u1"), session_id="s2")
    await store.memories.erase_session(ANNA, "s1")
    await rewind(store, "u1", session_id="s2")
    assert await told(store) == []


async def test_what_was_erased_does_not_come_back(store: Store) -> None:
    [key] = await remember(store.memories, add(EUR, "s1", "e1"))
    gone = delete(key, "s2")
    await remember(store.memories, gone, session_id="s2")
    await store.memories.erase_session(ANNA, "s1")
    assert await rewind(store, *gone.source.event_ids, session_id="s2") == []
    assert await told(store) == []


async def test_words_that_are_another_facts_by_now_add_a_source_to_that_one(store: Store) -> None:
    [key] = await remember(store.memories, add(EUR, "s1", "e1"))
    await remember(store.memories, update(key, USD, "s1", "u1"))
    await remember(store.memories, add(EUR, "s3", "e3"), session_id="s3")
    assert await told(store) == [EUR, USD]
    await rewind(store, "u1")
    [fact] = await facts(store.memories)
    assert (fact.text, sorted(source.session_id for source in fact.sources)) == (EUR, ["s1", "s3"])
    assert await rewind(store, "u1") == []


async def test_it_is_done_once(store: Store) -> None:
    await remember(store.memories, add(EUR, "s1", "u1"))
    await rewind(store, "u1")
    history = await store.memories.history(ANNA)
    assert await rewind(store, "u1") == []
    assert await store.memories.history(ANNA) == history


async def test_said_anew_after_the_rewind_it_stays(store: Store) -> None:
    await remember(store.memories, add(EUR, "s1", "u1"))
    await rewind(store, "u1")
    await remember(store.memories, add(EUR, "s1", "e9"))
    assert await rewind(store, "u1") == []
    assert await told(store) == [EUR]


async def test_events_of_another_session_or_person_are_not_undone(store: Store) -> None:
    await remember(store.memories, add(EUR, "s1", "u1"))
    await remember(store.memories, add(USD, "s2", "u1"), session_id="s2")
    await remember(store.memories, add(EUR, "s1", "u1"), scope=BEN)
    await rewind(store, "u1")
    assert await told(store) == [USD]
    assert [fact.text for fact in await facts(store.memories, BEN)] == [EUR]


async def test_it_is_refused_where_the_memory_changed_meanwhile(store: Store) -> None:
    await remember(store.memories, add(EUR, "s1", "u1"))
    progress = await store.memories.progress(ANNA, "s1")
    retracted = await store.memories.retractions(ANNA, "s1", undone("u1"))
    await remember(store.memories, add(EUR, "s2", "e2"), session_id="s2")
    with pytest.raises(Conflict):
        await store.memories.save(save_of(generation=progress.generation, retracted=retracted), {})
    assert await told(store) == [EUR]


async def test_a_retraction_that_was_overtaken_does_not_take_sources_away(store: Store) -> None:
    """The fact stays either way: what must not be lost is who said it meanwhile."""
    await remember(store.memories, add(EUR, "s1", "e1"))
    await remember(store.memories, add(EUR, "s2", "u1"), session_id="s2")
    progress = await store.memories.progress(ANNA, "s2")
    retracted = await store.memories.retractions(ANNA, "s2", undone("u1"))
    await remember(store.memories, add(EUR, "s3", "e3"), session_id="s3")
    late = save_of(generation=progress.generation, session_id="s2", retracted=retracted)
    with pytest.raises(Conflict):
        await store.memories.save(late, vectors(*texts_of(late)))
    await rewind(store, "u1", session_id="s2")
    [fact] = await facts(store.memories)
    assert [source.session_id for source in fact.sources] == ["s1", "s3"]

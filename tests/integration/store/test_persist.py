"""A save changes the memories exactly as told, in one transaction or not at all."""

import asyncio
import dataclasses
import math

import pytest

from tests.integration.store.conftest import Store
from tests.integration.store.samples import (
    ANNA,
    BEN,
    DIMS,
    add,
    delete,
    episode,
    facts,
    found,
    later,
    remember,
    save_of,
    source,
    update,
    vector,
    vectors,
)
from twofold.memory.errors import Conflict, InvalidInput, ModelFailed, TwofoldError
from twofold.memory.memories import Change
from twofold.memory.verbatim import VerbatimText
from twofold.store.pool import borrowed

LEDGER = "User works with the US Primary Ledger"


async def count(store: Store, table: str) -> int:
    async with borrowed(store.pool) as connection:
        row = await (await connection.execute(f"SELECT count(*) AS n FROM {table}")).fetchone()  # noqa: S608
    assert row is not None
    return int(row["n"])


async def test_an_added_fact_is_listed_with_its_source_and_history(store: Store) -> None:
    [key] = await remember(store.memories, add(LEDGER, "s1", "e1", "e2"), seen=["e1", "e2"])
    [fact] = await facts(store.memories)
    assert (fact.key, fact.text, fact.rev, fact.kind) == (key, LEDGER, 1, "semantic")
    assert fact.sources == (source("s1", "e1", "e2"),)
    assert fact.updated_at == source("s1").at
    [entry] = await store.memories.history(ANNA, key)
    assert (entry.action, entry.before, entry.after, entry.session_id) == ("ADD", "", LEDGER, "s1")
    assert (list(entry.event_ids), entry.origin, entry.model) == (["e1", "e2"], "user said", "test-model")
    assert (await store.memories.progress(ANNA, "s1")).seen_event_ids == {"e1", "e2"}


async def test_the_same_words_from_another_session_add_a_source_and_no_row(store: Store) -> None:
    await remember(store.memories, add(LEDGER, "s1"))
    await remember(store.memories, add(f"  {LEDGER.upper()} ", "s2", at=later(5)), session_id="s2")
    [fact] = await facts(store.memories)
    assert [known.session_id for known in fact.sources] == ["s1", "s2"]
    assert (fact.text, fact.rev, fact.updated_at) == (LEDGER, 1, later(5))
    assert [entry.action for entry in await store.memories.history(ANNA)] == ["NOOP", "ADD"]


async def test_an_older_source_does_not_make_a_fact_new(store: Store) -> None:
    await remember(store.memories, add(LEDGER, "s1", at=later(5)))
    await remember(store.memories, add(LEDGER, "s0", at=later(-500)), session_id="s0")
    [fact] = await facts(store.memories)
    assert fact.updated_at == later(5)


@pytest.mark.parametrize("text", ["Reports in USD", "Reports in GBP"])
async def test_what_an_older_session_says_does_not_replace_what_was_said_since(store: Store, text: str) -> None:
    """As where a session of last year is stored now; the second text is another fact's already."""
    [key] = await remember(store.memories, add("Reports in EUR", "s1", at=later(5)))
    await remember(store.memories, add("Reports in GBP", "s1", at=later(6)))
    for late in (update(key, text, "s0", at=later(-500)), delete(key, "s0", at=later(-500))):
        await remember(store.memories, late, session_id="s0")
    assert sorted(fact.text for fact in await facts(store.memories)) == ["Reports in EUR", "Reports in GBP"]
    assert [entry.action for entry in await store.memories.history(ANNA, key)] in (
        ["NOOP", "ADD"],
        ["NOOP", "NOOP", "ADD"],
    )
    assert {fact.updated_at for fact in await facts(store.memories)} == {later(5), later(6)}


async def test_what_an_older_session_only_adds_is_added(store: Store) -> None:
    [key] = await remember(store.memories, add("Responsible for company 1000", "s1", at=later(0)))
    await remember(store.memories, add("Responsible for company 1000", "s3", at=later(30)), session_id="s3")
    more = "Responsible for the companies 1000 and 1010"
    await remember(store.memories, update(key, more, "s2", at=later(10)), session_id="s2")
    [fact] = await facts(store.memories)
    assert (fact.text, fact.updated_at) == (more, later(30))


async def test_what_is_said_at_the_same_time_or_later_replaces_it(store: Store) -> None:
    [key] = await remember(store.memories, add("Reports in EUR", "s1", at=later(5)))
    await remember(store.memories, update(key, "Reports in USD", "s2", at=later(5)), session_id="s2")
    assert [fact.text for fact in await facts(store.memories)] == ["Reports in USD"]
    await remember(store.memories, delete(key, "s3", at=later(6)), session_id="s3")
    assert await facts(store.memories) == ()


async def test_events_of_one_session_are_merged_into_one_source(store: Store) -> None:
    await remember(store.memories, add(LEDGER, "s1", "e1", "e2"))
    await remember(store.memories, add(LEDGER, "s1", "e2", "e3"))
    [fact] = await facts(store.memories)
    assert [known.event_ids for known in fact.sources] == [("e1", "e2", "e3")]


async def test_a_correction_replaces_the_words_and_keeps_the_history(store: Store) -> None:
    [key] = await remember(store.memories, add(LEDGER, "s1"))
    created_at = (await facts(store.memories))[0].created_at
    await remember(store.memories, update(key, "User works with the EU Ledger", "s2", at=later(9)), session_id="s2")
    [fact] = await facts(store.memories)
    assert (fact.key, fact.text, fact.rev) == (key, "User works with the EU Ledger", 2)
    assert (fact.created_at, fact.updated_at) == (created_at, later(9))
    assert [known.session_id for known in fact.sources] == ["s1", "s2"]
    assert await found(store.memories, "EU Ledger") == ["User works with the EU Ledger"]
    newest = (await store.memories.history(ANNA, key))[0]
    assert (newest.action, newest.before, newest.after) == ("UPDATE", LEDGER, "User works with the EU Ledger")


async def test_a_correction_is_found_by_its_new_vector_only(store: Store) -> None:
    [key] = await remember(store.memories, add("alpha beta"))
    await remember(store.memories, update(key, "gamma delta"))
    [memory] = await store.memories.search(ANNA, "semantic", query="x", vector=vector("gamma delta"), limit=5)
    assert memory.score == pytest.approx(1.0, abs=1e-3)


async def test_an_update_to_the_words_of_another_fact_joins_them(store: Store) -> None:
    [kept] = await remember(store.memories, add("Reports in EUR", "s1"))
    [gone] = await remember(store.memories, add("Reports in USD", "s1"))
    save = save_of(update(gone, "reports in eur", "s2"), session_id="s2", generation=2)
    applied = await store.memories.save(save, vectors("reports in eur"))
    assert [(one.action, one.key) for one in applied] == [("NOOP", kept), ("DELETE", gone)]
    [fact] = await facts(store.memories)
    assert [known.session_id for known in fact.sources] == ["s1", "s2"]


async def test_a_deletion_makes_room_for_an_update_to_the_same_words(store: Store) -> None:
    [first] = await remember(store.memories, add("Books are closed monthly"))
    [second] = await remember(store.memories, add("Books are closed weekly"))
    await remember(store.memories, update(first, "Books are closed weekly"), delete(second))
    assert [fact.key for fact in await facts(store.memories)] == [first]


async def test_words_said_again_after_they_were_replaced_do_not_overwrite_the_replacement(
    store: Store,
) -> None:
    [key] = await remember(store.memories, add("Period is Jan"))
    await remember(store.memories, update(key, "Period is Feb"))
    [anew] = await remember(store.memories, add("Period is Jan"))
    assert anew != key
    assert {fact.text for fact in await facts(store.memories)} == {"Period is Jan", "Period is Feb"}


async def test_a_deleted_fact_is_gone_with_its_vector_and_side_row(store: Store) -> None:
    [key] = await remember(store.memories, add(LEDGER))
    await remember(store.memories, delete(key))
    assert await facts(store.memories) == ()
    assert [await count(store, table) for table in ("public.store_vectors", "twofold.memory")] == [0, 0]
    assert (await store.memories.history(ANNA, key))[0].action == "DELETE"


async def test_what_is_not_there_any_more_is_added_by_an_update_and_ignored_by_a_deletion(
    store: Store,
) -> None:
    applied = await store.memories.save(save_of(update("gone", LEDGER), delete("gone too")), vectors(LEDGER))
    assert [one.action for one in applied] == ["NOOP", "ADD"]
    assert [fact.text for fact in await facts(store.memories)] == [LEDGER]


async def test_a_session_has_one_episode_however_often_it_is_saved(store: Store) -> None:
    await remember(store.memories, episode("one step", ANNA, "s1", "e1"))
    await remember(store.memories, episode("one step", ANNA, "s1", "e1"))
    await remember(store.memories, episode("one step, two steps", ANNA, "s1", "e1", "e2", at=later(3)))
    [memory] = await facts(store.memories, kind="episodic")
    assert (memory.text, memory.rev, memory.updated_at) == ("one step, two steps", 2, later(3))
    assert [entry.action for entry in await store.memories.history(ANNA)] == ["UPDATE", "NOOP", "ADD"]


async def test_a_save_at_an_old_generation_conflicts_and_writes_nothing(store: Store) -> None:
    await remember(store.memories, add("first"))
    with pytest.raises(Conflict):
        await store.memories.save(save_of(add("second"), generation=0, seen=["e9"]), vectors("second"))
    assert [fact.text for fact in await facts(store.memories)] == ["first"]
    assert (await store.memories.progress(ANNA, "s1")).seen_event_ids == set()


async def test_what_changes_nothing_needs_no_generation(store: Store) -> None:
    await remember(store.memories, add(LEDGER, "s1", "e1"), episode("told"), seen=["e1"])
    again = save_of(add(LEDGER, "s2", "e2"), episode("told"), session_id="s2", generation=0, seen=["e2"])
    applied = await store.memories.save(again, vectors(LEDGER, "told"))
    assert {one.action for one in applied if one.kind == "semantic"} == {"NOOP"}
    [fact] = await facts(store.memories)
    assert [known.session_id for known in fact.sources] == ["s1", "s2"]
    assert (await store.memories.progress(ANNA, "s2")).seen_event_ids == {"e2"}


@pytest.mark.parametrize("erased", [False, True], ids=["kept", "erased since"])
async def test_turns_whose_facts_were_stored_change_nothing_when_they_are_run_again(
    store: Store, *, erased: bool
) -> None:
    """A step that is run anew from an old checkpoint, by a model that words it differently this time."""
    [key, _] = await remember(store.memories, add(LEDGER, "s1", "e1"), episode("told"), seen=["e1"])
    if erased:
        await store.memories.erase_memory(ANNA, key)
    before, history = await facts(store.memories), await store.memories.history(ANNA)
    again = save_of(add("User has the US ledger", "s1", "e1"), episode("told"), generation=0, seen=["e1"])
    applied = await store.memories.save(again, vectors("User has the US ledger", "told"))
    assert [one.action for one in applied] == ["NOOP"]
    assert await facts(store.memories) == before
    assert [entry.action for entry in await store.memories.history(ANNA)][1:] == [entry.action for entry in history]


async def test_a_session_in_part_erased_is_prepared_anew(store: Store) -> None:
    [key] = await remember(store.memories, add(LEDGER, "s1", "e1"), seen=["e1"])
    await store.memories.erase_memory(ANNA, key)
    with pytest.raises(Conflict, match="erased"):
        await store.memories.save(save_of(add("Reports in EUR", "s1", "e2"), seen=["e2"]), vectors("Reports in EUR"))
    assert await facts(store.memories) == ()


async def test_an_episode_that_was_overtaken_is_prepared_anew(store: Store) -> None:
    """Else a save that hung would tell less than the one that came after it, or tell again what was rewound since."""
    await remember(store.memories, episode("two runs"))
    late = save_of(episode("one run"), generation=0)
    with pytest.raises(Conflict):
        await store.memories.save(late, vectors("one run"))
    assert [memory.text for memory in await facts(store.memories, kind="episodic")] == ["two runs"]


async def test_the_generation_rises_when_something_changed_and_not_otherwise(store: Store) -> None:
    await remember(store.memories, add(LEDGER))
    await remember(store.memories, add(LEDGER))
    await remember(store.memories)
    assert (await store.memories.progress(ANNA, "s1")).generation == 1


async def test_five_concurrent_saves_of_one_fact_make_one_row_with_five_sources(store: Store) -> None:
    async def saved(session_id: str) -> None:
        while True:
            try:
                await remember(store.memories, add(LEDGER, session_id), session_id=session_id)
            except Conflict:
                continue
            return

    await asyncio.gather(*(saved(f"s{number}") for number in range(5)))
    [fact] = await facts(store.memories)
    assert {known.session_id for known in fact.sources} == {f"s{number}" for number in range(5)}


async def test_a_save_is_all_or_nothing(store: Store) -> None:
    bad = dataclasses.replace(save_of(add("fine"), episode("told"), seen=["e1"]), models={"semantic": "nul\x00"})
    with pytest.raises(TwofoldError, match="NUL"):
        await store.memories.save(bad, vectors("fine", "told"))
    tables = ["public.store", "public.store_vectors", "twofold.memory", "twofold.audit", "twofold.ledger"]
    assert [await count(store, table) for table in tables] == [0] * 5


@pytest.mark.parametrize(
    "changed",
    [
        {"text": "a\x00b"},
        {"text": "a\ud800b"},
        {"text": "  "},
        {"content": {"content": math.nan}},
        {"content": {"deep": ["a\x00b"]}},
        {"content": {"a\ud800": 1}},
        {"source": source("s1", "e\x00")},
        {"source": dataclasses.replace(source("s1"), at=source("s1").at.replace(tzinfo=None))},
        {"action": "UPDATE", "key": None},
        {"key": "k\x00"},
    ],
    ids=str,
)
async def test_what_postgres_cannot_keep_is_refused_by_name_before_anything_is_written(
    store: Store, changed: dict[str, object]
) -> None:
    change: Change = dataclasses.replace(add("good"), **changed)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"changes\[0\]"):
        await store.memories.save(save_of(change), {change.text: vector("x")})


@pytest.mark.parametrize(
    "unusable",
    [[], [1.0], [0.0] * DIMS, [math.nan] * DIMS, [math.inf] * DIMS, [1e-40] * DIMS, [1e39] * DIMS],
    ids=str,
)
async def test_an_unusable_vector_is_refused_before_anything_is_written(store: Store, unusable: list[float]) -> None:
    with pytest.raises(ModelFailed):
        await store.memories.save(save_of(add(LEDGER)), {LEDGER: unusable})
    with pytest.raises(ModelFailed):
        await store.memories.search(ANNA, "semantic", query="x", vector=unusable, limit=3)


async def test_a_missing_vector_is_refused_without_the_words(store: Store) -> None:
    """What a save fails of is kept, told by the health of the memory, and logged."""
    with pytest.raises(ModelFailed, match=rf"a text of {len(LEDGER)} characters$"):
        await store.memories.save(save_of(add(LEDGER)), {})


async def test_two_people_with_the_same_fact_have_a_row_each(store: Store) -> None:
    for scope in (ANNA, BEN):
        await remember(store.memories, add(LEDGER), scope=scope)
    assert [len(await facts(store.memories, scope)) for scope in (ANNA, BEN)] == [1, 1]


async def test_a_value_is_readable_for_langmem(store: Store) -> None:
    await remember(store.memories, add(LEDGER), episode("told"))
    async with borrowed(store.pool) as connection:
        rows = await (await connection.execute("SELECT value FROM public.store ORDER BY prefix DESC")).fetchall()
    assert [row["value"]["kind"] for row in rows] == ["Memory", "Episode"]
    assert rows[0]["value"]["content"] == {"content": LEDGER}


async def test_verbatim_texts_are_facts_of_the_host(store: Store) -> None:
    texts = [
        VerbatimText(text=LEDGER, at=later(-60)),
        VerbatimText(text="Fiscal year starts in April", at=None),
    ]
    for _ in range(2):
        await store.memories.add_verbatim(ANNA, texts, vectors(*(text.text for text in texts)))
    listed = await facts(store.memories)
    assert {fact.text for fact in listed} == {text.text for text in texts}
    assert {known.origin for fact in listed for known in fact.sources} == {"host"}
    assert [len(fact.sources[0].event_ids) for fact in listed if fact.text == LEDGER] == [1]

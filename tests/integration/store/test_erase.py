"""What is erased is gone with its traces, and stays erased."""

import asyncio
from datetime import timedelta

import pytest

from tests.integration.store.conftest import Store
from tests.integration.store.samples import (
    ANNA,
    NOON,
    add,
    called,
    episode,
    facts,
    later,
    remember,
    said,
    save_of,
    update,
    vectors,
)
from twofold.memory.errors import Conflict
from twofold.memory.tombstones import remaining
from twofold.memory.verbatim import VerbatimText
from twofold.store.erase import erase_session
from twofold.store.erase_people import erase_user
from twofold.store.erased import Erased
from twofold.store.pool import borrowed, transaction

SECRET = "Anna banks at Nordbank"
OURS = ("memory", "inbox", "entry", "ledger", "kept", "tombstone", "audit", "procrastinate_jobs")
TABLES = ("public.store", "public.store_vectors", *(f"twofold.{name}" for name in OURS))


async def whole_database(store: Store) -> str:
    """Return everything that our tables hold, as one text."""
    async with borrowed(store.pool) as connection:
        rows = [
            str(row)
            for table in TABLES
            for row in await (
                await connection.execute(f"SELECT to_jsonb(t) AS row FROM {table} t")  # noqa: S608
            ).fetchall()
        ]
    return "\n".join(rows)


async def tables_with(store: Store, session_id: str) -> set[str]:
    """Return which of our tables hold a row of this session."""
    found: set[str] = set()
    async with borrowed(store.pool) as connection:
        for name in ("inbox", "entry", "ledger", "kept"):
            rows = await connection.execute(f"SELECT 1 FROM twofold.{name} WHERE session_label = %s", (session_id,))  # noqa: S608
            found.update({name} if await rows.fetchone() else ())
    return found


async def waiting_for_lock(store: Store) -> None:
    """Return when somebody waits for a lock."""
    statement = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    async with borrowed(store.pool) as connection:
        for _ in range(3000):
            if await (await connection.execute(statement)).fetchone():
                return
            await asyncio.sleep(0.01)
    raise AssertionError("nobody waited for half a minute")


async def texts(store: Store, kind: str = "semantic") -> set[str]:
    return {memory.text for memory in await facts(store.memories, kind=kind)}  # type: ignore[arg-type]


async def test_an_erased_fact_leaves_no_text_but_a_note_of_it(store: Store) -> None:
    [key] = await remember(store.memories, add(SECRET, "s1", "e1"))
    await remember(store.memories, update(key, f"{SECRET} now", "s1", "e2"))
    assert await store.memories.erase_memory(ANNA, key) == Erased(
        memories=1, vectors=1, audit_entries=2, at=store.clock.time
    )
    assert "Nordbank" not in await whole_database(store)
    assert [entry.action for entry in await store.memories.history(ANNA, key)] == ["ERASE", "UPDATE", "ADD"]
    assert await store.memories.erase_memory(ANNA, key) == Erased()


async def test_a_replayed_session_does_not_bring_an_erased_fact_back_and_saying_it_anew_does(
    store: Store,
) -> None:
    [key] = await remember(store.memories, add(SECRET, "s1", "e1"), seen=["e1"])
    await store.memories.erase_memory(ANNA, key)
    await remember(store.memories, add(SECRET, "s1", "e1"))
    await remember(store.memories, add("Anna uses a bank in the north", "s1", "e1"))
    assert await texts(store) == set()
    await remember(store.memories, add(SECRET, "s1", "e1", "e5"))
    [fact] = await facts(store.memories)
    assert fact.sources[0].event_ids == ("e5",)


async def test_events_of_an_erased_fact_count_as_seen_even_when_the_ledger_is_gone(store: Store) -> None:
    [key] = await remember(store.memories, add(SECRET, "s1", "e1"), seen=["e1"])
    await store.memories.erase_memory(ANNA, key)
    store.clock.pass_days(40)
    await store.memories.sweep()
    assert (await store.memories.progress(ANNA, "s1")).seen_event_ids == {"e1"}


async def test_erasing_a_fact_leaves_the_others_and_the_session(store: Store) -> None:
    await store.inbox.accept(ANNA, "s1", [said("e1"), called("e2")], settle=10)
    key, _ = await remember(store.memories, add(SECRET, "s1", "e1"), add("Other fact", "s1", "e1"))
    await remember(store.memories, episode("run", ANNA, "s1", "e2"))
    await store.memories.erase_memory(ANNA, key)
    assert (await texts(store), await texts(store, "episodic")) == ({"Other fact"}, {"run"})
    assert await store.inbox.load(ANNA, "s1") is not None


async def test_an_erased_episode_does_not_come_back_and_the_session_goes_on_without_it(store: Store) -> None:
    entries = [said("e1", "close the books"), called("e2", at=later(1))]
    await store.inbox.accept(ANNA, "s1", entries, settle=10)
    [key] = await remember(store.memories, episode("closed the books", ANNA, "s1", "e1", "e2", at=later(1)))
    await store.memories.erase_memory(ANNA, key)
    await remember(store.memories, episode("closed the books", ANNA, "s1", "e1", "e2", at=later(1)))
    assert await texts(store, "episodic") == set()

    store.clock.time += timedelta(minutes=5)
    grown = [*entries, called("e3", at=store.clock.time)]
    await store.inbox.accept(ANNA, "s1", grown, settle=10)
    loaded = await store.inbox.load(ANNA, "s1")
    assert loaded is not None
    assert [entry.event_id for entry in loaded.transcript.entries] == ["e3"]
    await remember(store.memories, episode("posted once more", ANNA, "s1", "e1", "e3", at=store.clock.time))
    assert await texts(store, "episodic") == {"posted once more"}


async def test_whoever_takes_the_session_apart_is_told_what_was_erased_of_it(store: Store) -> None:
    [key] = await remember(store.memories, episode("old run", ANNA, "s1", "e1", "e2"))
    await store.memories.erase_memory(ANNA, key)
    steps, words = (await store.memories.progress(ANNA, "s1")).tombstones
    assert (steps.kind, steps.event_ids, steps.before) == ("episodic", frozenset({"e1", "e2"}), store.clock.time)
    assert (words.kind, words.event_ids, words.before) == (None, frozenset({"e1", "e2"}), None)
    assert (await store.memories.progress(ANNA, "s2")).tombstones == ()
    entries = (said("e0"), called("e0"), said("e1"), called("e2"), called("e3", at=later(1) + timedelta(days=9999)))
    assert [entry.event_id for entry in remaining(entries, [steps])] == ["e0", "e1", "e3"]
    assert [entry.event_id for entry in remaining(entries, [steps, words])] == ["e0", "e3"]


async def test_an_erased_session_is_gone_with_all_that_rests_on_it_alone(store: Store) -> None:
    await store.inbox.accept(ANNA, "s1", [said("e1", SECRET), called("e2")], settle=10)
    await store.inbox.accept(ANNA, "s2", [said("e1")], settle=10)
    await remember(store.memories, add(SECRET, "s1", "e1"), episode(SECRET, ANNA, "s1", "e2"), seen=["e1"])
    await remember(store.memories, add("Shared", "s1", "e1"))
    await remember(store.memories, add("Shared", "s2", "e1"), add("Own", "s2", "e1"), session_id="s2")
    await store.kept.keep(ANNA, "s1", "semantic", "hash", {"text": SECRET})
    report = await store.memories.erase_session(ANNA, "s1")
    assert (report.memories, report.sessions, report.jobs) == (3, 1, 1)
    assert await texts(store) == {"Own"}
    assert "Nordbank" not in await whole_database(store)
    assert await tables_with(store, "s1") == set()
    assert await store.inbox.load(ANNA, "s1") is None
    assert await store.inbox.load(ANNA, "s2") is not None


async def test_a_fact_worded_by_another_session_only_loses_the_source(store: Store) -> None:
    [key] = await remember(store.memories, add(SECRET, "s1", "e1"))
    await remember(store.memories, update(key, "Anna banks at Westbank", "s2", "e1"), session_id="s2")
    await remember(store.memories, add("Anna banks at Westbank", "s3", "e1"), session_id="s3")
    await store.memories.erase_session(ANNA, "s1")
    [fact] = await facts(store.memories)
    assert (fact.text, [source.session_id for source in fact.sources]) == (
        "Anna banks at Westbank",
        ["s2", "s3"],
    )
    assert "Nordbank" not in await whole_database(store)
    assert (await store.memories.erase_session(ANNA, "s2")).memories == 1
    assert "Westbank" not in await whole_database(store)


@pytest.mark.parametrize("what", ["session", "user"])
async def test_a_replayed_or_grown_session_stays_erased_and_its_later_events_are_kept(store: Store, what: str) -> None:
    old = [said("e1", SECRET, at=later(0)), called("e2", at=later(1))]
    await store.inbox.accept(ANNA, "s1", old, settle=10)
    if what == "session":
        await store.memories.erase_session(ANNA, "s1")
    else:
        await store.memories.erase_user(ANNA)
    assert not (await store.inbox.accept(ANNA, "s1", old, settle=10)).changed
    assert await store.inbox.load(ANNA, "s1") is None
    await remember(store.memories, add(SECRET, "s1", "e1"), episode("told", ANNA, "s1", "e2"))
    assert (await texts(store), await texts(store, "episodic")) == (set(), set())

    store.clock.time += timedelta(minutes=5)
    grown = [*old, said("e3", "said anew", at=store.clock.time)]
    assert (await store.inbox.accept(ANNA, "s1", grown, settle=10)).changed
    loaded = await store.inbox.load(ANNA, "s1")
    assert loaded is not None
    assert [entry.event_id for entry in loaded.transcript.entries] == ["e3"]
    await remember(store.memories, add(SECRET, "s1", "e3", at=store.clock.time))
    assert await texts(store) == {SECRET}


@pytest.mark.parametrize("what", ["session", "user"])
async def test_events_that_a_host_dated_in_the_future_stay_erased_too(store: Store, what: str) -> None:
    ahead = store.clock.time + timedelta(days=400)
    await store.inbox.accept(ANNA, "s1", [said("e1", SECRET, at=ahead)], settle=10)
    if what == "session":
        await store.memories.erase_session(ANNA, "s1")
    else:
        await store.memories.erase_user(ANNA)
    assert not (await store.inbox.accept(ANNA, "s1", [said("e1", SECRET, at=ahead)], settle=10)).changed
    assert (await store.inbox.accept(ANNA, "s1", [said("e2", at=store.clock.time + timedelta(1))], settle=10)).changed


async def test_a_backfill_does_not_bring_an_erased_person_back(store: Store) -> None:
    await store.memories.erase_user(ANNA)
    await store.inbox.accept(ANNA, "never seen before", [said("e1", SECRET, at=later(-9000))], settle=10)
    assert await store.inbox.load(ANNA, "never seen before") is None
    given = [VerbatimText(text=SECRET, at=NOON), VerbatimText(text="Given now", at=None)]
    store.clock.time += timedelta(minutes=1)
    await store.memories.add_verbatim(ANNA, given, vectors(SECRET, "Given now"), origin="import")
    assert await texts(store) == {"Given now"}


async def test_an_erased_person_is_gone_from_every_table(store: Store) -> None:
    await store.inbox.accept(ANNA, "s1", [said("e1", SECRET)], settle=10)
    await remember(store.memories, add(SECRET), episode(SECRET), seen=["e1"])
    await store.kept.keep(ANNA, "s1", "semantic", "hash", {"text": SECRET})
    report = await store.memories.erase_user(ANNA)
    assert report == Erased(
        memories=2,
        vectors=2,
        sessions=1,
        entries=1,
        audit_entries=2,
        jobs=1,
        extractions=1,
        ledger=1,
        at=store.clock.time,
    )
    left = await whole_database(store)
    assert "Nordbank" not in left
    assert "s1" not in left
    assert [entry.action for entry in await store.memories.history(ANNA)] == ["ERASE"]
    assert (await store.memories.erase_user(ANNA)).nothing
    assert [entry.action for entry in await store.memories.history(ANNA)] == ["ERASE"]


async def test_a_save_prepared_before_the_erasure_is_refused(store: Store) -> None:
    await store.inbox.accept(ANNA, "s1", [said("e1", SECRET)], settle=10)
    generation = (await store.memories.progress(ANNA, "s1")).generation
    await store.memories.erase_session(ANNA, "s1")
    for change in (add(SECRET, "s1", "e1"), episode(SECRET, ANNA, "s1", "e1")):
        with pytest.raises(Conflict):
            await store.memories.save(save_of(change, generation=generation), vectors(SECRET))


@pytest.mark.parametrize("what", ["session", "user"])
async def test_a_session_handed_over_while_it_is_being_erased_stays_erased(store: Store, what: str) -> None:
    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=10)
    async with transaction(store.pool) as connection:
        if what == "session":
            await erase_session(connection, store.queue, ANNA, "s1", store.clock.time)
        else:
            await erase_user(connection, store.queue, ANNA, store.clock.time)
        handing = asyncio.create_task(store.inbox.accept(ANNA, "s1", [said("e1"), said("e2")], settle=10))
        await asyncio.sleep(0.3)
        assert not handing.done()
    assert not (await handing).changed
    assert await store.inbox.load(ANNA, "s1") is None


async def test_an_extraction_that_is_kept_during_an_erase_waits_for_it_and_is_not_kept(store: Store) -> None:
    async with transaction(store.pool) as connection:
        await erase_user(connection, store.queue, ANNA, store.clock.time)
        keeping = asyncio.create_task(store.kept.keep(ANNA, "s1", "semantic", "hash", {"text": SECRET}))
        await waiting_for_lock(store)
    await keeping
    assert "Nordbank" not in await whole_database(store)


async def test_a_host_may_give_anew_what_was_erased(store: Store) -> None:
    [applied] = await store.memories.add_verbatim(ANNA, [VerbatimText(text=SECRET, at=NOON)], vectors(SECRET))
    await store.memories.erase_memory(ANNA, applied.key)
    await store.memories.add_verbatim(ANNA, [VerbatimText(text=SECRET, at=NOON)], vectors(SECRET))
    assert await texts(store) == set()
    await store.memories.add_verbatim(ANNA, [VerbatimText(text=SECRET, at=None)], vectors(SECRET))
    assert await texts(store) == {SECRET}

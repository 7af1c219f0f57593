"""Accepting sessions: durable, merged, and never twice."""

import asyncio
import math
import random
import threading
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from procrastinate.schema import SchemaManager

from tests.integration.store.conftest import Store
from tests.integration.store.samples import ANNA, BEN, NOON, called, later, said
from twofold.memory.errors import InvalidInput, TwofoldError
from twofold.memory.transcript import Entry, merge
from twofold.store import inbox
from twofold.store.backlog import Backlog
from twofold.store.entries import columns
from twofold.store.inbox import Loaded
from twofold.store.pool import borrowed
from twofold.store.queue import BACKFILL, URGENT, Queue


async def loaded(store: Store, session_id: str = "s1") -> Loaded:
    found = await store.inbox.load(ANNA, session_id)
    assert found is not None
    return found


async def event_ids(store: Store) -> list[str]:
    return [entry.event_id for entry in (await loaded(store)).transcript.entries]


async def jobs(store: Store) -> list[dict[str, Any]]:
    async with borrowed(store.pool) as connection:
        statement = "SELECT lock, queueing_lock, priority, status, scheduled_at, args FROM twofold.procrastinate_jobs"
        return await (await connection.execute(f"{statement} ORDER BY id")).fetchall()


async def test_an_accepted_session_is_there_with_one_job(store: Store) -> None:
    entry = Entry(
        event_id="e1", part=2, kind="returned", author="agent", at=later(0.5), tool="post", call_id="c1",
        payload={"ok": True, "rows": [1, 2.5, None]}, seconds=0.25, invocation_id="i", awaiting="confirmation",
    )  # fmt: skip
    accepted = await store.inbox.accept(ANNA, "s1", [entry], settle=10)
    assert (accepted.revision, accepted.changed) == (1, True)
    assert (await loaded(store)).transcript.entries == (entry,)
    [job] = await jobs(store)
    assert (job["lock"], job["queueing_lock"], job["priority"], job["status"]) == (
        "acme/anna",
        None,
        0,
        "todo",
    )
    assert job["args"] == {"tenant_id": "acme", "user_id": "anna", "session_id": "s1", "revision": 1}


@pytest.mark.parametrize(("count", "where"), [(3, "here"), (6_000, "aside")])
async def test_a_long_session_is_prepared_on_a_thread(
    store: Store, monkeypatch: pytest.MonkeyPatch, count: int, where: str
) -> None:
    threads = set()

    def noted(entries: Sequence[Entry]) -> dict[str, list[Any]]:
        threads.add(threading.get_ident())
        return columns(entries)

    monkeypatch.setattr(inbox, "columns", noted)
    entries = [said(f"e{number}", "x" * 20) for number in range(count)]
    await store.inbox.accept(ANNA, "s1", entries[: count // 2], settle=10)
    assert (await store.inbox.accept(ANNA, "s1", entries, settle=10)).revision == 2
    assert await event_ids(store) == [entry.event_id for entry in entries]
    assert ("here" if threads == {threading.get_ident()} else "aside") == where


async def test_a_job_settles_first_unless_it_is_wanted_now(store: Store) -> None:
    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=60)
    await store.inbox.accept(ANNA, "s2", [said("e1")], settle=0)
    waiting, urgent = await jobs(store)
    assert waiting["scheduled_at"] is not None
    assert (urgent["scheduled_at"], urgent["priority"]) == (None, 10)


@pytest.mark.parametrize("settle", [0, 60])
async def test_a_job_that_may_wait_is_queued_behind_all_others_until_it_is_hurried(store: Store, settle: float) -> None:
    await store.inbox.accept(ANNA, "s1", [said("e1")], settle, priority=BACKFILL)
    [job] = await jobs(store)
    assert (job["priority"], job["scheduled_at"] is None) == (BACKFILL, settle == 0)
    assert await store.backlog.hurry(ANNA) == 1
    [job] = await jobs(store)
    assert (job["priority"], job["scheduled_at"]) == (URGENT, None)


async def test_the_same_session_again_makes_no_revision_and_no_job(store: Store) -> None:
    entries = [said("e1"), called("e2")]
    await store.inbox.accept(ANNA, "s1", entries, settle=10)
    again = await store.inbox.accept(ANNA, "s1", entries, settle=10)
    assert (again.revision, again.changed) == (1, False)
    assert len(await jobs(store)) == 1


async def test_grown_and_truncated_sessions_are_merged(store: Store) -> None:
    await store.inbox.accept(ANNA, "s1", [said("e1"), said("e2", at=later(1))], settle=10)
    await store.inbox.accept(ANNA, "s1", [said("e2", at=later(1)), said("e3", at=later(2))], settle=10)
    assert await event_ids(store) == ["e1", "e2", "e3"]
    assert (await loaded(store)).revision == 2


async def test_concurrent_hand_overs_lose_nothing(store: Store) -> None:
    handed = [[said(f"e{first}"), said(f"e{first + 1}")] for first in range(12)]
    accepted = await asyncio.gather(*(store.inbox.accept(ANNA, "s1", entries, settle=10) for entries in handed))
    assert set(await event_ids(store)) == {f"e{number}" for number in range(13)}
    news = [one.revision for one in accepted if one.changed]
    assert sorted(news) == list(range(1, len(news) + 1))
    assert (await loaded(store)).revision == len(news)


async def test_partial_chunks_and_thoughts_are_not_kept(store: Store) -> None:
    await store.inbox.accept(ANNA, "s1", [said("e1"), said("e2", partial=True), said("e3", thought=True)], settle=10)
    assert await event_ids(store) == ["e1"]


async def test_an_empty_session_is_not_kept(store: Store) -> None:
    accepted = await store.inbox.accept(ANNA, "s1", [], settle=10)
    assert (accepted.revision, accepted.changed) == (0, False)
    assert await store.inbox.load(ANNA, "s1") is None
    assert await store.backlog.wait_done(ANNA, "s1", accepted.revision, timeout=0)


async def test_an_exact_duration_measured_later_is_added(store: Store) -> None:
    await store.inbox.accept(ANNA, "s1", [called("e1")], settle=10)
    timed = Entry(event_id="e1", kind="called", author="agent", at=NOON, tool="close_period", call_id="e1", seconds=1.5)
    assert (await store.inbox.accept(ANNA, "s1", [timed], settle=10)).changed
    assert (await loaded(store)).transcript.entries[0].seconds == 1.5


@pytest.mark.parametrize(
    ("payload", "kept"),
    [
        ({"a": "x\x00y"}, {"a": "x\ufffdy"}),
        ({"a\ud800": ["\ud800"]}, {"a\ufffd": ["\ufffd"]}),
        ({"a": math.nan, "b": [math.inf, 1.5]}, {"a": None, "b": [None, 1.5]}),
        ("literally \\u0000", "literally \\u0000"),
    ],
    ids=repr,
)
async def test_what_a_tool_returned_never_costs_the_session(store: Store, payload: Any, kept: Any) -> None:
    entry = Entry(event_id="e\x00", kind="returned", author="agent", at=NOON, payload=payload)
    await store.inbox.accept(ANNA, "s1", [entry], settle=10)
    assert not (await store.inbox.accept(ANNA, "s1", [entry], settle=10)).changed
    assert (await loaded(store)).transcript.entries[0].payload == kept


async def test_what_cannot_be_kept_at_all_is_refused_by_name(store: Store) -> None:
    deep: Any = "end"
    for _ in range(100_000):
        deep = [deep]
    entry = Entry(event_id="e1", kind="returned", author="agent", at=NOON, payload=deep)
    with pytest.raises(InvalidInput, match="nested too deep"):
        await store.inbox.accept(ANNA, "s1", [entry], settle=10)
    with pytest.raises(InvalidInput, match="no zone"):
        await store.inbox.accept(ANNA, "s1", [said("e1", at=NOON.replace(tzinfo=None))], settle=10)


async def test_a_crash_before_the_commit_leaves_neither_session_nor_job(store: Store) -> None:
    async with borrowed(store.pool) as connection:
        await connection.execute("ALTER TABLE twofold.procrastinate_jobs ADD CHECK (args ->> 'session_id' <> 'bad')")
    with pytest.raises(TwofoldError, match="violates check"):
        await store.inbox.accept(ANNA, "bad", [said("e1")], settle=10)
    assert await store.inbox.load(ANNA, "bad") is None


async def test_pending_counts_what_waits_and_what_was_given_up(store: Store) -> None:
    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=10)
    await store.inbox.accept(ANNA, "s2", [said("e1")], settle=10)
    await store.inbox.accept(BEN, "s3", [said("e1")], settle=10)
    await store.inbox.mark_done(ANNA, "s1", 1, "nothing to remember")
    await store.inbox.mark_failed(BEN, "s3", 1, "ModelFailed: no key", final=True)
    pending = await store.backlog.pending()
    assert (pending.waiting, pending.failed, pending.oldest_at) == (1, 1, store.clock.time)
    assert (await store.backlog.pending(BEN)).failed == 1
    state = await store.inbox.state(ANNA, "s1")
    assert state is not None
    assert (state.done_revision, state.reason) == (1, "nothing to remember")


async def test_a_dead_letter_is_visible_and_can_be_tried_anew(store: Store) -> None:
    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=10)
    await store.inbox.mark_failed(ANNA, "s1", 1, "ModelFailed: no \x00 key" + "!" * 900, final=True)
    state = await store.inbox.state(ANNA, "s1")
    assert state is not None
    assert state.error.startswith("ModelFailed: no  key")
    assert state.given_up(1)
    assert not await store.backlog.wait_done(ANNA, "s1", 1, timeout=60)
    assert await store.backlog.hurry(ANNA) == 0
    assert await store.backlog.try_anew(ANNA) == 1
    assert (await store.backlog.pending(ANNA)).waiting == 1


@pytest.mark.parametrize("again", ["hurry", "try_anew"])
async def test_a_session_has_one_waiting_job_however_often_it_is_tried_anew(store: Store, again: str) -> None:
    for session_id in ("s1", "s2"):
        await store.inbox.accept(ANNA, session_id, [said("e1")], settle=60)
        await store.inbox.accept(ANNA, session_id, [said("e2")], settle=60)
    for _ in range(5):
        assert await getattr(store.backlog, again)(ANNA, "s1") == 1
    of = {"s1": list[Any](), "s2": list[Any]()}
    for job in await jobs(store):
        of[job["args"]["session_id"]].append((job["args"]["revision"], job["priority"], job["scheduled_at"] is None))
    assert of == {"s1": [(2, 10, True)], "s2": [(1, 0, False), (2, 0, False)]}


async def test_a_job_that_runs_is_let_run_while_its_session_is_tried_anew(store: Store) -> None:
    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=0)
    async with borrowed(store.pool) as connection:
        await connection.execute("UPDATE twofold.procrastinate_jobs SET status = 'doing'")
    for _ in range(3):
        await store.backlog.try_anew()
    assert [job["status"] for job in await jobs(store)] == ["doing", "todo"]


async def test_hurrying_leaves_the_job_of_what_is_accepted_at_the_same_moment(store: Store) -> None:
    """Or that revision would have none."""

    class Meanwhile(Queue):
        async def discard(self, *which: Any, **more: Any) -> int:
            await store.inbox.accept(ANNA, "s1", [said("e2")], settle=60)
            return await super().discard(*which, **more)

    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=60)
    assert await Backlog(store.pool, Meanwhile()).hurry() == 1
    assert [(job["args"]["revision"], job["priority"]) for job in await jobs(store)] == [(2, 0), (1, 10)]


async def test_what_grows_after_it_was_given_up_waits_again(store: Store) -> None:
    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=10)
    await store.inbox.mark_failed(ANNA, "s1", 1, "gone", final=True)
    await store.inbox.accept(ANNA, "s1", [said("e2")], settle=10)
    assert (await store.backlog.pending(ANNA)).waiting == 1


async def test_a_revision_that_is_done_is_waited_for_and_a_later_one_still_waits(store: Store) -> None:
    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=10)
    await store.inbox.accept(ANNA, "s1", [said("e2")], settle=10)
    await store.inbox.mark_done(ANNA, "s1", 1)
    assert await store.backlog.wait_done(ANNA, "s1", 1, timeout=0)
    assert not await store.backlog.wait_done(ANNA, "s1", 2, timeout=0.05)


async def test_an_expired_session_is_begun_anew_and_one_that_waits_never_expires(store: Store) -> None:
    await store.inbox.accept(ANNA, "done", [said("e1")], settle=10)
    await store.inbox.mark_done(ANNA, "done", 1)
    await store.inbox.accept(ANNA, "waits", [said("e1")], settle=10)
    store.clock.pass_days(31)
    assert await store.inbox.load(ANNA, "done") is None
    await store.inbox.accept(ANNA, "done", [said("e2", at=NOON + timedelta(days=31))], settle=10)
    assert [entry.event_id for entry in (await loaded(store, "done")).transcript.entries] == ["e2"]
    assert [entry.event_id for entry in (await loaded(store, "waits")).transcript.entries] == ["e1"]


async def test_a_queue_of_the_host_in_the_same_database_is_left_alone(store: Store) -> None:
    async with borrowed(store.pool) as connection, connection.transaction():
        await connection.execute("SET LOCAL search_path = public")
        await connection.execute(SchemaManager.get_schema())
    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=10)
    await store.memories.erase_user(ANNA)
    await store.inbox.accept(BEN, "s1", [said("e1")], settle=10)
    async with borrowed(store.pool) as connection:
        theirs = await (await connection.execute("SELECT 1 FROM public.procrastinate_jobs")).fetchall()
    assert (theirs, len(await jobs(store))) == ([], 1)


@pytest.mark.parametrize("seed", range(4))
async def test_whatever_the_order_of_hand_overs_the_inbox_holds_what_merge_says(store: Store, seed: int) -> None:
    drawn = random.Random(seed)  # noqa: S311
    expected: tuple[Entry, ...] = ()
    for _ in range(8):
        handed = [
            Entry(
                event_id=f"e{drawn.randrange(12)}",
                part=drawn.randrange(2),
                kind="called",
                author="agent",
                at=later(drawn.randrange(5)),
                tool=f"tool{drawn.randrange(9)}",
                seconds=drawn.choice([None, None, 0.5, 1.5]),
            )
            for _ in range(drawn.randrange(1, 10))
        ]
        before, expected = expected, merge(expected, handed)
        assert (await store.inbox.accept(ANNA, "s1", handed, settle=10)).changed == (before != expected)
    stored = (await loaded(store)).transcript.entries
    assert {(entry.event_id, entry.part): entry.seconds for entry in stored} == {
        (entry.event_id, entry.part): entry.seconds for entry in expected
    }
    assert list(stored) == sorted(stored, key=lambda entry: entry.at)

"""Every accepted session is saved once, or is given up visibly, whatever fails or dies in between."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import psycopg
import pytest

from tests.integration.store.conftest import Store
from tests.integration.store.samples import ANNA, BEN, said
from twofold.memory.errors import Conflict, InvalidInput, ModelFailed
from twofold.memory.retry import MOST_ATTEMPTS
from twofold.memory.scope import Scope
from twofold.store import attempts, worker
from twofold.store.pool import borrowed
from twofold.store.queue import BACKFILL
from twofold.store.worker import Worker

Seen = list[tuple[str, str]]
Handler = Callable[[Scope, str, int], Awaitable[None]]


async def flushed(store: Store, scope: Scope | None, *, timeout: float) -> int:
    """Hurry what waits and wait for it; return how much is left."""
    await store.backlog.hurry(scope)
    deadline = time.monotonic() + timeout
    while (left := (await store.backlog.pending(scope)).waiting) and time.monotonic() < deadline:  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    return left


@asynccontextmanager
async def working(store: Store, handler: Handler, **options: Any) -> AsyncIterator[Worker]:
    """Run a worker for the time of the block."""
    one = Worker(store.url, store.inbox, handler, **options)
    running = asyncio.create_task(one.run())
    try:
        yield one
    finally:
        one.stop()
        await asyncio.wait_for(running, 30)


def saving(store: Store, seen: Seen, seconds: float = 0) -> Handler:
    """Return a handler that notes what it saves and marks it done."""

    async def handle(scope: Scope, session_id: str, revision: int) -> None:
        seen.append((scope.user_id, session_id))
        await asyncio.sleep(seconds)
        loaded = await store.inbox.load(scope, session_id)
        assert loaded is not None
        assert loaded.revision >= revision
        await store.inbox.mark_done(scope, session_id, loaded.revision)

    return handle


def failing(store: Store, seen: Seen, *errors: Exception) -> Handler:
    """Return a handler that raises these errors, one an attempt, and then saves."""
    left = list(errors)

    async def handle(scope: Scope, session_id: str, revision: int) -> None:
        seen.append((scope.user_id, session_id))
        if left:
            raise left.pop(0)
        await store.inbox.mark_done(scope, session_id, revision)

    return handle


async def jobs(store: Store) -> list[dict[str, Any]]:
    async with borrowed(store.pool) as connection:
        return await (
            await connection.execute(
                "SELECT status::text, attempts, priority, args ->> 'session_id' AS session"
                " FROM twofold.procrastinate_jobs ORDER BY id"
            )
        ).fetchall()


async def until(condition: Callable[[], Awaitable[bool]], seconds: float = 20) -> None:
    async with asyncio.timeout(seconds):
        while not await condition():  # noqa: ASYNC110 - it is in the database
            await asyncio.sleep(0.02)


async def no_jobs(store: Store) -> None:
    async def none() -> bool:
        return not await jobs(store)

    await until(none)


async def test_an_accepted_session_is_saved_and_its_job_deleted(store: Store) -> None:
    seen: Seen = []
    async with working(store, saving(store, seen)):
        accepted = await store.inbox.accept(ANNA, "s1", [said("e1")], settle=0)
        assert await store.backlog.wait_done(ANNA, "s1", accepted.revision, timeout=10)
        await no_jobs(store)
    assert seen == [("anna", "s1")]


async def test_quick_turns_share_one_save(store: Store) -> None:
    seen: Seen = []
    for number in range(5):
        await store.inbox.accept(ANNA, "s1", [said(f"e{number}")], settle=0.5)
    async with working(store, saving(store, seen)):
        assert await store.backlog.wait_done(ANNA, "s1", 5, timeout=10)
        await no_jobs(store)
    assert seen == [("anna", "s1")]


async def test_one_person_is_saved_one_at_a_time_and_two_at_once(store: Store) -> None:
    running: dict[str, int] = {}
    most: dict[str, int] = {}
    together = 0

    async def handle(scope: Scope, session_id: str, revision: int) -> None:
        nonlocal together
        running[scope.user_id] = running.get(scope.user_id, 0) + 1
        most[scope.user_id] = max(most.get(scope.user_id, 0), running[scope.user_id])
        together = max(together, sum(running.values()))
        await asyncio.sleep(0.1)
        running[scope.user_id] -= 1
        await store.inbox.mark_done(scope, session_id, revision)

    for number in range(4):
        for scope in (ANNA, BEN):
            await store.inbox.accept(scope, f"s{number}", [said("e1")], settle=0)
    async with working(store, handle), working(store, handle):
        assert await flushed(store, None, timeout=20) == 0
    assert most == {"anna": 1, "ben": 1}
    assert together == 2


async def test_a_flush_goes_before_what_is_due_later(store: Store) -> None:
    seen: Seen = []
    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=3600)
    await store.inbox.accept(ANNA, "s2", [said("e1")], settle=3600)
    async with working(store, saving(store, seen)):
        assert await flushed(store, ANNA, timeout=10) == 0
    assert sorted(seen) == [("anna", "s1"), ("anna", "s2")]


async def test_what_is_wanted_now_is_not_held_up_by_what_settles(store: Store) -> None:
    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=3600)
    async with working(store, saving(store, [])):
        accepted = await store.inbox.accept(ANNA, "s2", [said("e1")], settle=0)
        assert await store.backlog.wait_done(ANNA, "s2", accepted.revision, timeout=10)


async def test_a_failed_save_is_tried_again_later_and_holds_up_nobody(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(attempts, "retry_delay", lambda _: 3600.0)
    seen: Seen = []
    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=0)
    async with working(store, failing(store, seen, ModelFailed("no key"))):

        async def failed() -> bool:
            return bool((await jobs(store))[0]["attempts"])

        await until(failed)
        state = await store.inbox.state(ANNA, "s1")
        assert state is not None
        assert (state.error, state.given_up(1)) == ("ModelFailed: no key", False)
        accepted = await store.inbox.accept(ANNA, "s2", [said("e1")], settle=0.01)
        assert await store.backlog.wait_done(ANNA, "s2", accepted.revision, timeout=10)
        assert [job["priority"] for job in await jobs(store) if job["session"] == "s1"] == [-1]
        assert await flushed(store, ANNA, timeout=10) == 0
        await no_jobs(store)
    assert seen == [("anna", "s1"), ("anna", "s2"), ("anna", "s1")]
    state = await store.inbox.state(ANNA, "s1")
    assert state is not None
    assert state.error == ""
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
    warned = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert warned == ["Session s1 is not saved (attempt 1 of 10: ModelFailed: no key; tried again in 3600 s)"]


async def test_a_failed_save_of_a_backfill_holds_up_no_other_of_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempts, "retry_delay", lambda _: 3600.0)
    for session in ("s1", "s2"):
        await store.inbox.accept(ANNA, session, [said("e1")], settle=0, priority=BACKFILL)
    async with working(store, failing(store, [], ModelFailed("no key"))):
        assert await store.backlog.wait_done(ANNA, "s2", 1, timeout=20)
        assert [job["priority"] for job in await jobs(store) if job["session"] == "s1"] == [BACKFILL - 1]


async def test_a_conflict_is_tried_again_at_once(store: Store) -> None:
    seen: Seen = []
    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=0)
    async with working(store, failing(store, seen, Conflict("changed"), Conflict("changed"))):
        assert await store.backlog.wait_done(ANNA, "s1", 1, timeout=10)
    assert len(seen) == 3


@pytest.mark.parametrize(
    ("error", "kept"),
    [(InvalidInput("changes[0]: bad"), "InvalidInput: changes[0]: bad"), (None, "ValueError")],
    ids=["hopeless", "ten times"],
)
async def test_what_cannot_be_saved_becomes_a_visible_dead_letter_that_can_be_tried_anew(
    store: Store, monkeypatch: pytest.MonkeyPatch, error: Exception | None, kept: str
) -> None:
    monkeypatch.setattr(attempts, "retry_delay", lambda _: 0.0)
    errors = [error] if error else [ValueError("Anna's salary is 1")] * MOST_ATTEMPTS
    seen: Seen = []
    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=0)
    async with working(store, failing(store, seen, *errors)):
        assert not await store.backlog.wait_done(ANNA, "s1", 1, timeout=30)
        state = await store.inbox.state(ANNA, "s1")
        assert state is not None
        assert state.error == kept
        assert (await store.backlog.pending()).failed == 1

        async def dead() -> bool:
            return [job["status"] for job in await jobs(store)] == ["failed"]

        await until(dead)
        assert await store.backlog.try_anew(ANNA, "s1") == 1
        assert await store.backlog.wait_done(ANNA, "s1", 1, timeout=10)
        await no_jobs(store)
    assert len(seen) == len(errors) + 1


async def test_a_job_of_an_erased_session_ends_at_once(store: Store) -> None:
    seen: Seen = []
    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=0)
    async with borrowed(store.pool) as connection:
        await connection.execute("DELETE FROM twofold.inbox")
    async with working(store, saving(store, seen)):
        await no_jobs(store)
    assert seen == []


async def test_a_stop_waits_for_a_running_save(store: Store) -> None:
    seen: Seen = []
    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=0)
    async with working(store, saving(store, seen, seconds=0.7), grace=10):

        async def begun() -> bool:
            return bool(seen)

        await until(begun)
    assert await store.backlog.wait_done(ANNA, "s1", 1, timeout=0)
    assert await jobs(store) == []


async def test_a_stop_gives_back_what_takes_too_long(store: Store) -> None:
    seen: Seen = []
    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=0)
    started = time.monotonic()
    async with working(store, saving(store, seen, seconds=3600), grace=0.3):

        async def begun() -> bool:
            return bool(seen)

        await until(begun)
        started = time.monotonic()
    assert time.monotonic() - started < 3
    assert [job["status"] for job in await jobs(store)] == ["todo"]
    async with working(store, saving(store, seen)):
        assert await store.backlog.wait_done(ANNA, "s1", 1, timeout=10)


async def test_a_cancelled_worker_stops_even_if_a_save_does_not_let_itself_be_cancelled(store: Store) -> None:
    begun, free = asyncio.Event(), asyncio.Event()

    async def stubborn(scope: Scope, session_id: str, revision: int) -> None:
        begun.set()
        while not free.is_set():
            with suppress(asyncio.CancelledError):
                await free.wait()

    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=0)
    running = asyncio.create_task(Worker(store.url, store.inbox, stubborn, grace=0.2).run())
    await asyncio.wait_for(begun.wait(), 10)
    running.cancel()
    started = time.monotonic()
    await asyncio.wait({running}, timeout=20)
    assert running.cancelled()
    assert time.monotonic() - started < 10
    free.set()
    await asyncio.sleep(0.2)


async def test_a_save_that_kills_its_process_each_time_is_given_up(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "HEARTBEAT_SECONDS", 0.1)
    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=0)
    async with borrowed(store.pool) as connection:
        await connection.execute("UPDATE twofold.procrastinate_jobs SET status = 'doing', attempts = 9")
    async with working(store, saving(store, [])):
        assert not await store.backlog.wait_done(ANNA, "s1", 1, timeout=20)
    state = await store.inbox.state(ANNA, "s1")
    assert state is not None
    assert "its process ended in each of 10 attempts" in state.error


async def test_a_job_whose_end_could_not_be_noted_is_taken_up_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "HEARTBEAT_SECONDS", 0.2)
    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=3600)
    async with working(store, saving(store, [])):

        async def registered() -> bool:
            async with borrowed(store.pool) as connection:
                taken = await connection.execute(
                    "UPDATE twofold.procrastinate_jobs SET status = 'doing', scheduled_at = NULL,"
                    " worker_id = (SELECT min(id) FROM twofold.procrastinate_workers)"
                    " WHERE EXISTS (SELECT 1 FROM twofold.procrastinate_workers)"
                )
            return taken.rowcount == 1

        await until(registered)
        assert await store.backlog.wait_done(ANNA, "s1", 1, timeout=20)


async def test_a_worker_that_was_taken_for_dead_starts_anew(store: Store) -> None:
    async with working(store, saving(store, [])):
        await asyncio.sleep(0.5)
        async with borrowed(store.pool) as connection:
            await connection.execute("DELETE FROM twofold.procrastinate_workers")
        await store.inbox.accept(ANNA, "s1", [said("e1")], settle=0)
        assert await store.backlog.wait_done(ANNA, "s1", 1, timeout=20)


async def test_a_job_that_runs_is_not_given_to_another_by_its_own_worker(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "HEARTBEAT_SECONDS", 0.1)
    seen: Seen = []
    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=0)
    async with working(store, saving(store, seen, seconds=1.5)):
        await asyncio.sleep(0.7)
        async with borrowed(store.pool) as connection:
            await connection.execute("DELETE FROM twofold.procrastinate_workers")
        assert await store.backlog.wait_done(ANNA, "s1", 1, timeout=20)
    assert len(seen) == 1


async def test_a_worker_survives_the_loss_of_all_its_connections(store: Store) -> None:
    seen: Seen = []
    async with working(store, saving(store, seen)):
        await asyncio.sleep(0.5)
        with psycopg.connect(store.url, autocommit=True) as admin:
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        await store.inbox.accept(ANNA, "s1", [said("e1")], settle=0)
        assert await store.backlog.wait_done(ANNA, "s1", 1, timeout=20)


async def test_a_stop_does_not_wait_for_a_save_that_never_ends(store: Store) -> None:
    begun, free = asyncio.Event(), asyncio.Event()

    async def stubborn(scope: Scope, session_id: str, revision: int) -> None:
        begun.set()
        while not free.is_set():
            with suppress(asyncio.CancelledError):
                await free.wait()

    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=0)
    async with working(store, stubborn, grace=0.2):
        await asyncio.wait_for(begun.wait(), 10)
        started = time.monotonic()
    assert time.monotonic() - started < 10
    free.set()
    await asyncio.sleep(0.2)
    assert [job["status"] for job in await jobs(store)] == ["doing"]

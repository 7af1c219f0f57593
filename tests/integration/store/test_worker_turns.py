"""What comes between two saves of one person: other writers, and nothing else."""

from __future__ import annotations

import pytest

from tests.integration.store.conftest import Store
from tests.integration.store.samples import ANNA, said
from tests.integration.store.test_worker import Seen, failing, jobs, no_jobs, saving, until, working
from twofold.memory.errors import Conflict, ModelFailed
from twofold.memory.retry import MOST_ATTEMPTS
from twofold.store import attempts, worker


async def test_other_writers_of_a_person_use_up_no_attempt(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A save that comes second many times is not near being given up: its first failure is its first attempt."""
    monkeypatch.setattr(attempts, "retry_delay", lambda _: 3600.0)
    seen: Seen = []
    conflicts = [Conflict("changed")] * (MOST_ATTEMPTS + 5)
    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=0)
    async with working(store, failing(store, seen, *conflicts, ModelFailed("away"))):

        async def failed() -> bool:
            return [job["attempts"] for job in await jobs(store)] == [1]

        await until(failed)
        assert len(seen) == len(conflicts) + 1
        assert await store.backlog.hurry(ANNA) == 1
        assert await store.backlog.wait_done(ANNA, "s1", 1, timeout=20)


async def test_a_save_that_always_comes_second_is_given_up_in_the_end(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempts, "MOST_CONFLICTS", 3)
    seen: Seen = []
    conflicts = [Conflict("changed")] * (3 * MOST_ATTEMPTS)
    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=0)
    async with working(store, failing(store, seen, *conflicts)):
        assert not await store.backlog.wait_done(ANNA, "s1", 1, timeout=60)
    assert len(seen) == len(conflicts)
    state = await store.inbox.state(ANNA, "s1")
    assert state is not None
    assert state.error == "Conflict: changed"


async def test_a_persons_next_save_begins_when_the_one_before_has_ended(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not when the queue is looked at the next time."""
    monkeypatch.setattr(worker, "POLL_SECONDS", 3600.0)
    seen: Seen = []
    for number in range(5):
        await store.inbox.accept(ANNA, f"s{number}", [said("e1")], settle=0)
    async with working(store, saving(store, seen, seconds=0.2)):
        await no_jobs(store)
    assert len(seen) == 5

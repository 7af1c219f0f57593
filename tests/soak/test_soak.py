"""A short form of `make soak`: kills in several phases, and five writers of one user. The long form: `make soak`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.services import database_url, migrated
from tests.soak.kills import killed
from tests.soak.ledger import TAKEN_UP_WITHIN
from tests.soak.model import Model
from tests.soak.nursery import Nursery
from tests.soak.phases import Victim
from tests.soak.plan import short
from tests.soak.writers import behind_a_poison, beside_the_queue, sessions_of, through_the_queue

__all__ = ["database_url", "migrated"]


@pytest.fixture
def model() -> Iterator[Model]:
    """Lend a model that takes a moment."""
    with Model() as model:
        model.seconds = 0.05
        yield model


@pytest.fixture
async def nursery() -> AsyncIterator[Nursery]:
    """Lend what makes processes."""
    async with Nursery() as nursery:
        yield nursery


@pytest.mark.timeout(400)
async def test_what_was_accepted_is_stored_once_whatever_is_killed_and_when() -> None:
    """A process, a worker and Postgres, in the phases of a save, restarted; no kept reply is paid again."""
    ledger = await killed(short(), 1, lambda _: None)
    assert ledger.problems == []
    assert ledger.killed == len(short())
    assert 0 < ledger.slowest(*Victim) <= TAKEN_UP_WITHIN


@pytest.mark.timeout(300)
async def test_five_sessions_of_one_user_at_once_lose_and_double_nothing_through_two_workers(
    database_url: str, nursery: Nursery, model: Model
) -> None:
    """Facts that are equal, that differ in an identifier, and others. One user's saves never overlap."""
    people = [sessions_of("anna", 5), sessions_of("ben", 5)]
    wrote = await through_the_queue(database_url, nursery, model, people, workers=2)
    assert wrote.problems == []


async def test_five_writers_of_one_user_beside_the_queue_lose_and_double_nothing(database_url: str) -> None:
    """Who finds that another came first begins anew."""
    wrote = await beside_the_queue(database_url, sessions_of("anna", 5))
    assert wrote.problems == []
    assert wrote.conflicts > 0


async def test_one_session_written_five_times_at_once_is_stored_once(database_url: str) -> None:
    """Equal runs of the graph, none of which knows of the others."""
    wrote = await beside_the_queue(database_url, sessions_of("anna", 3), times=5)
    assert wrote.problems == []


@pytest.mark.timeout(300)
async def test_a_save_that_fails_holds_up_the_users_later_saves_for_no_more_than_its_attempts(
    database_url: str, nursery: Nursery, model: Model
) -> None:
    """They are stored between its first attempt and its next."""
    wrote = await behind_a_poison(database_url, nursery, model, sessions_of("anna", 4))
    assert wrote.problems == []
    assert wrote.conflicts > 0

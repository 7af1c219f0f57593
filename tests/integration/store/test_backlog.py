"""What waits, since when, and what failed last, as the database tells any process."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.integration.store.conftest import Store
from tests.integration.store.samples import ANNA, BEN, said

MINUTE = timedelta(minutes=1)


async def test_a_session_that_goes_on_waits_since_it_first_did(store: Store) -> None:
    """A host hands a session over after each turn: an outage in a long conversation is seen all the same."""
    first = store.clock.time
    for number in range(3):
        await store.inbox.accept(ANNA, "s", [said(f"e{number}")], 0)
        store.clock.time += MINUTE
    assert (await store.backlog.pending()).oldest_at == first


async def test_what_came_while_a_session_was_saved_waits_since_then(store: Store) -> None:
    await store.inbox.accept(ANNA, "s", [said("e1")], 0)
    store.clock.time += MINUTE
    second = store.clock.time
    await store.inbox.accept(ANNA, "s", [said("e2")], 0)
    await store.inbox.mark_done(ANNA, "s", 1)
    assert (await store.backlog.pending()).oldest_at == second
    await store.inbox.mark_done(ANNA, "s", 2)
    assert (await store.backlog.pending()).oldest_at is None
    store.clock.time += MINUTE
    await store.inbox.accept(ANNA, "s", [said("e3")], 0)
    assert (await store.backlog.pending()).oldest_at == store.clock.time


async def test_a_dead_letter_that_goes_on_waits_since_then(store: Store) -> None:
    await store.inbox.accept(ANNA, "s", [said("e1")], 0)
    await store.inbox.mark_failed(ANNA, "s", 1, "away", final=True)
    store.clock.time += MINUTE
    await store.inbox.accept(ANNA, "s", [said("e2")], 0)
    assert (await store.backlog.pending()).oldest_at == store.clock.time


async def test_the_last_error_is_the_newest_of_what_is_not_stored(store: Store) -> None:
    for session in ("s1", "s2", "s3"):
        await store.inbox.accept(ANNA, session, [said("e1")], 0)
        store.clock.time += MINUTE
        await store.inbox.mark_failed(ANNA, session, 1, f"cause of {session}", final=session == "s2")
    found = await store.backlog.pending()
    assert (found.failing_session, found.error, found.failed_at) == ("s3", "cause of s3", store.clock.time)
    await store.inbox.mark_done(ANNA, "s3", 1)
    found = await store.backlog.pending()
    assert (found.failing_session, found.error) == ("s2", "cause of s2")
    await store.backlog.drop(ANNA, "s2")
    assert (await store.backlog.pending()).error == "cause of s1"
    await store.inbox.mark_done(ANNA, "s1", 1)
    found = await store.backlog.pending()
    assert (found.failing_session, found.error, found.failed_at) == (None, "", None)


async def test_what_failed_of_one_person_is_not_told_of_another(store: Store) -> None:
    for scope, session in ((ANNA, "anna's"), (BEN, "ben's")):
        await store.inbox.accept(scope, session, [said("e1")], 0)
        store.clock.time += MINUTE
        await store.inbox.mark_failed(scope, session, 1, "away", final=False)
    assert (await store.backlog.pending(ANNA)).failing_session == "anna's"
    assert (await store.backlog.pending(tenants=[ANNA.tenant_id])).failing_session is not None
    assert (await store.backlog.pending(tenants=["elsewhere"])).failing_session is None


@pytest.mark.parametrize("session_id", ["\x00", "\ud800", "a%b", "~"])
async def test_any_session_is_named_as_it_was_given(store: Store, session_id: str) -> None:
    await store.inbox.accept(ANNA, session_id, [said("e1")], 0)
    await store.inbox.mark_failed(ANNA, session_id, 1, "away", final=False)
    assert (await store.backlog.pending()).failing_session == session_id

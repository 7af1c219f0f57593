"""Paid extractions are kept until their save is persisted."""

from datetime import timedelta

import pytest

from tests.integration.store.conftest import Store
from tests.integration.store.samples import ANNA, BEN, add, remember, said
from twofold.memory.errors import InvalidInput


async def test_what_was_kept_is_returned_for_exactly_its_input(store: Store) -> None:
    kept = {"changes": [{"action": "ADD", "text": "x"}]}
    await store.kept.keep(ANNA, "s1", "semantic", "hash", kept)
    assert await store.kept.get(ANNA, "s1", "semantic", "hash") == kept
    for scope, session_id, part, input_hash in (
        (BEN, "s1", "semantic", "hash"),
        (ANNA, "s2", "semantic", "hash"),
        (ANNA, "s1", "episodic", "hash"),
        (ANNA, "s1", "semantic", "other"),
    ):
        assert await store.kept.get(scope, session_id, part, input_hash) is None  # type: ignore[arg-type]


async def test_a_result_for_another_input_replaces_the_one_before(store: Store) -> None:
    await store.kept.keep(ANNA, "s1", "semantic", "one", 1)
    await store.kept.keep(ANNA, "s1", "semantic", "two", 2)
    assert await store.kept.get(ANNA, "s1", "semantic", "one") is None
    assert await store.kept.get(ANNA, "s1", "semantic", "two") == 2


async def test_a_persisted_save_drops_what_was_kept_of_its_session(store: Store) -> None:
    await store.kept.keep(ANNA, "s1", "semantic", "hash", 1)
    await store.kept.keep(ANNA, "s2", "semantic", "hash", 1)
    await remember(store.memories, add("x"))
    assert await store.kept.get(ANNA, "s1", "semantic", "hash") is None
    assert await store.kept.get(ANNA, "s2", "semantic", "hash") == 1


async def test_a_sweep_drops_what_a_worker_kept_that_went_on_beside_the_one_that_finished(store: Store) -> None:
    """An hour later: until then that worker may be about to persist. What still waits to be stored keeps it."""
    for session in ("done", "waits"):
        await store.inbox.accept(ANNA, session, [said("e1")], settle=0)
        await store.kept.keep(ANNA, session, "semantic", "hash", 1)
    await store.inbox.mark_done(ANNA, "done", 1)
    await store.memories.sweep()
    assert await store.kept.get(ANNA, "done", "semantic", "hash") == 1
    store.clock.time += timedelta(hours=1)
    await store.memories.sweep()
    assert await store.kept.get(ANNA, "done", "semantic", "hash") is None
    assert await store.kept.get(ANNA, "waits", "semantic", "hash") == 1


async def test_an_extraction_that_ends_after_the_erasure_is_not_kept(store: Store) -> None:
    await store.memories.erase_session(ANNA, "s1")
    await store.kept.keep(ANNA, "s1", "semantic", "hash", 1)
    assert await store.kept.get(ANNA, "s1", "semantic", "hash") is None
    store.clock.time += timedelta(hours=2)
    await store.kept.keep(ANNA, "s1", "semantic", "hash", 1)
    assert await store.kept.get(ANNA, "s1", "semantic", "hash") == 1


async def test_what_postgres_cannot_keep_is_refused(store: Store) -> None:
    with pytest.raises(InvalidInput):
        await store.kept.keep(ANNA, "s1", "semantic", "hash", {"a": "\x00"})

"""What was erased does not come back with a session that is handed over again."""

from datetime import UTC, datetime, timedelta

import pytest

from twofold.memory.scope import Kind
from twofold.memory.tombstones import Tombstone, remaining
from twofold.memory.transcript import Entry, EntryKind

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def entry(event_id: str, kind: EntryKind = "said", minutes: float = 0) -> Entry:
    return Entry(event_id=event_id, kind=kind, author="user", at=NOON + timedelta(minutes=minutes))


def stone(kind: Kind | None = None, before: datetime | None = None, *event_ids: str) -> Tombstone:
    return Tombstone(kind=kind, before=before, event_ids=frozenset(event_ids))


def left(*entries: Entry, stones: list[Tombstone]) -> list[str]:
    return [one.event_id for one in remaining(entries, stones)]


def test_without_tombstones_everything_remains() -> None:
    assert left(entry("a"), entry("b", "called"), stones=[]) == ["a", "b"]


def test_a_tombstone_covers_what_happened_up_to_its_time_and_what_it_names() -> None:
    entries = (entry("a", minutes=-1), entry("b"), entry("c", minutes=1), entry("d", minutes=9))
    assert left(*entries, stones=[stone(None, NOON, "d")]) == ["c"]


@pytest.mark.parametrize("kind", ["called", "returned", "failed", "confirmed"])
def test_an_erased_episode_loses_its_steps_and_keeps_what_was_said(kind: EntryKind) -> None:
    assert left(entry("a"), entry("b", "answered"), entry("c", kind), stones=[stone("episodic", NOON)]) == ["a", "b"]


def test_an_erased_fact_leaves_the_transcript_whole() -> None:
    assert left(entry("a"), entry("b", "called"), stones=[stone("semantic", NOON, "a", "b")]) == ["a", "b"]


def test_any_of_several_tombstones_is_enough() -> None:
    assert left(entry("a"), entry("b"), entry("c"), stones=[stone(None, None, "a"), stone(None, None, "c")]) == ["b"]

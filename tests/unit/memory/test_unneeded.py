"""Which events of a session nothing is to be kept of, once a memory is erased."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twofold.memory.tombstones import Tombstone, remaining, unneeded
from twofold.memory.transcript import Entry, EntryKind

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def entry(event_id: str, kind: EntryKind = "said", author: str = "user", invocation: str = "i1") -> Entry:
    return Entry(event_id=event_id, kind=kind, author=author, at=NOON, invocation_id=invocation)


TALK = (
    entry("u1"),
    entry("a1", author="clerk"),
    entry("c1", "called", author="clerk"),
    entry("u2", invocation="i2"),
    entry("a2", author="clerk", invocation="i2"),
)


@pytest.mark.parametrize(
    ("gone", "needed", "expected"),
    [
        ({"u1"}, set(), {"u1", "a1"}),
        ({"u1"}, {"u1"}, set()),
        ({"u1"}, {"a1"}, {"u1"}),
        ({"u1", "u2"}, {"u1"}, {"u2", "a2"}),
        ({"u1", "a1", "c1"}, set(), {"u1", "a1", "c1"}),
        ({"u1", "c1"}, {"c1"}, {"u1", "a1"}),
        ({"x9"}, set(), {"x9"}),
        (set(), {"u1"}, set()),
    ],
)
def test_what_only_the_memory_rested_on_goes_with_what_was_said_to_it(
    gone: set[str], needed: set[str], expected: set[str]
) -> None:
    assert unneeded(TALK, gone, needed) == expected


def test_without_an_invocation_nothing_else_is_taken_along() -> None:
    talk = (entry("u1", invocation=""), entry("a1", author="clerk", invocation=""))
    assert unneeded(talk, {"u1"}, set()) == {"u1"}


IDS = st.sampled_from([f"e{number}" for number in range(6)])
ENTRIES = st.lists(
    st.builds(
        entry,
        IDS,
        st.sampled_from(["said", "called", "returned", "answered", "rewound"]),
        st.sampled_from(["user", "clerk"]),
        st.sampled_from(["", "i1", "i2"]),
    ),
    max_size=12,
)


@given(ENTRIES, st.sets(IDS), st.sets(IDS))
def test_nothing_that_another_memory_rests_on_and_nothing_the_user_said_besides_is_taken(
    entries: list[Entry], gone: set[str], needed: set[str]
) -> None:
    taken = unneeded(entries, gone, needed)
    assert not taken & needed
    assert gone - needed <= taken
    others = [entry for entry in entries if entry.event_id in taken - gone]
    assert all(entry.kind == "said" and not entry.by_user for entry in others)
    stone = Tombstone(kind=None, before=None, event_ids=taken)
    assert {entry.event_id for entry in remaining(entries, [stone])}.isdisjoint(taken)

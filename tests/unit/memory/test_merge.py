"""Two hand-overs of one session made one."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.memory.entries import START, agent, called, returned, session, texts, user
from twofold.memory.transcript import Entry, merge, without_noise

numbers = st.lists(st.integers(0, 40), unique=True, min_size=1, max_size=12).map(sorted)


@st.composite
def sessions(draw: st.DrawFn) -> tuple[Entry, ...]:
    """Draw a session whose events have one to three parts and times of their own."""
    entries = []
    for number in draw(numbers):
        event: dict[str, Any] = {"event_id": f"e{number}", "at": START + timedelta(seconds=number)}
        parts = range(draw(st.integers(1, 3)))
        entries += [user(f"{number}.{part}", part=part, **event) for part in parts]
    return tuple(entries)


def parts_of(entries: tuple[Entry, ...], events: set[str]) -> tuple[Entry, ...]:
    return tuple(entry for entry in entries if entry.event_id in events)


@st.composite
def hand_overs(draw: st.DrawFn) -> tuple[tuple[Entry, ...], list[tuple[Entry, ...]]]:
    """Draw a session, and hand-overs of any of its events in any order that hold all of them together."""
    whole = draw(sessions())
    events = sorted({entry.event_id for entry in whole})
    some = draw(st.lists(st.sets(st.sampled_from(events)), max_size=4))
    pieces = [parts_of(whole, piece) for piece in (*some, set(events).difference(*some))]
    return whole, draw(st.permutations(pieces))


@given(hand_overs())
def test_any_order_of_hand_overs_gives_the_whole_session(
    case: tuple[tuple[Entry, ...], list[tuple[Entry, ...]]],
) -> None:
    whole, pieces = case
    merged: tuple[Entry, ...] = ()
    for piece in pieces:
        merged = merge(merged, piece)
    assert merged == whole


@given(sessions())
def test_handing_over_again_changes_nothing(whole: tuple[Entry, ...]) -> None:
    assert merge(merge((), whole), whole) == whole
    assert merge(whole, ()) == whole


@given(sessions(), st.data())
def test_a_truncated_hand_over_loses_nothing(whole: tuple[Entry, ...], data: st.DataObject) -> None:
    last = data.draw(st.integers(0, len(whole)))
    assert merge(whole, whole[last:]) == whole


def test_entries_of_one_time_stay_in_the_order_they_came_in() -> None:
    entries = tuple(replace(user(text), event_id=text) for text in "cab")
    assert texts(merge((), entries)) == ["c", "a", "b"]


def test_a_known_entry_keeps_its_first_form_and_takes_only_a_measured_duration() -> None:
    [first] = session(returned("post", response={"status": "ok"}))
    [merged] = merge([first], [replace(first, payload={"status": "other"}, seconds=1.5)])
    assert merged == replace(first, seconds=1.5)
    assert merge([merged], [replace(first, seconds=9.0)]) == (merged,)


def test_thoughts_and_partial_chunks_are_noise() -> None:
    entries = session(user("a"), agent("thinking", thought=True), agent("he", partial=True), called("post"))
    assert without_noise(entries) == (entries[0], entries[3])

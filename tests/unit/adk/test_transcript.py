"""From ADK events to entries: each shape, and nothing raises."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from google.adk.events._rewind_events import _apply_rewinds
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.sessions.session import Session
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.adk.shapes import AT, SHAPES, call, event, text
from twofold.adk.transcript import entries_of, transcript_of
from twofold.memory.rewinds import after_rewinds
from twofold.memory.transcript import Entry


def fields_of(entry: Entry) -> dict[str, Any]:
    """Return the fields of an entry that differ from those every event gives."""
    blank = Entry(event_id="e1", kind="said", author="clerk", at=datetime.fromtimestamp(AT, UTC), invocation_id="i1")
    names = Entry.__dataclass_fields__
    return {name: getattr(entry, name) for name in names if getattr(entry, name) != getattr(blank, name)}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_of_event_becomes_its_entries(shape: str) -> None:
    given_event, expected = SHAPES[shape]
    assert [fields_of(entry) for entry in entries_of([given_event])] == expected


def test_no_part_of_a_credential_is_copied() -> None:
    assert "s3cr3t" not in repr(entries_of([given_event for given_event, _ in SHAPES.values()]))


def test_entries_are_clean_and_without_secrets() -> None:
    said, called = entries_of(
        [event(text("a\x00b, my password is hunter2"), call("post", token="abc", n=float("nan")))]
    )
    assert said.text == "ab, my password is [redacted: password]"
    assert called.payload == {"token": "[redacted: token]", "n": "NaN"}


def test_values_that_are_no_json_are_named_and_never_copied() -> None:
    odd = {"file": b"\x00\x01", "at": datetime(2026, 3, 1, tzinfo=UTC)}
    answer = types.FunctionResponse.model_construct(id="c1", name="export", response=odd)
    [entry] = entries_of([event(types.Part.model_construct(function_response=answer))])
    assert entry.payload == {"file": "[2 bytes]", "at": "2026-03-01T00:00:00+00:00"}


def test_an_event_without_an_id_is_the_same_event_each_time() -> None:
    def unnamed(said: str, at: float) -> Event:
        made = event(text(said), timestamp=at)
        made.id = ""
        return made

    whole = [unnamed("a", AT), unnamed("b", AT), unnamed("c", AT + 1)]
    ids = [entry.event_id for entry in entries_of(whole)]
    assert len(set(ids)) == 3
    assert [entry.event_id for entry in entries_of(whole[2:])] == ids[2:]


class Stubborn:
    """A test double that answers anything with itself and is never a text."""

    def __getattr__(self, name: str) -> Stubborn:
        return self

    def __call__(self, *_: object, **__: object) -> Stubborn:
        return self


def a_part(**fields: object) -> SimpleNamespace:
    return SimpleNamespace(content=SimpleNamespace(parts=[SimpleNamespace(**fields)]))


@pytest.mark.parametrize(
    "odd",
    [
        None,
        "text",
        7,
        {},
        object(),
        Stubborn(),
        SimpleNamespace(),
        SimpleNamespace(content="text", actions="x", timestamp="now", id=7, author=None),
        SimpleNamespace(content=SimpleNamespace(parts=7)),
        a_part(text=7),
        a_part(text=Stubborn(), function_call=Stubborn(), function_response=Stubborn()),
        a_part(function_call=SimpleNamespace(name="")),
        SimpleNamespace(timestamp=float("nan"), error_code=Stubborn()),
        SimpleNamespace(timestamp=1e30, error_code=7),
    ],
)
def test_what_is_no_event_gives_nothing_and_never_raises(odd: Any) -> None:
    assert entries_of([odd]) == ()
    assert transcript_of(odd).entries == ()
    assert transcript_of(SimpleNamespace(id=odd, events=[odd])).entries == ()  # type: ignore[arg-type]


def test_a_double_that_has_just_enough_is_read() -> None:
    [said] = entries_of([a_part(text="Hi")])  # type: ignore[list-item]
    assert (said.text, said.author, said.at.tzinfo) == ("Hi", "", UTC)
    [called] = entries_of([a_part(function_call=SimpleNamespace(name="post", args=7))])  # type: ignore[list-item]
    assert (called.tool, called.payload) == ("post", None)


def test_times_are_in_utc_and_an_unreadable_one_is_that_of_the_event_before() -> None:
    broken = SimpleNamespace(timestamp="soon", content=SimpleNamespace(parts=[text("b")]))
    first, second = entries_of([event(text("a")), broken])  # type: ignore[list-item]
    assert first.at == datetime.fromtimestamp(AT, UTC) == second.at
    assert first.at.utcoffset() == timedelta(0)


def test_a_transcript_is_in_order_of_time_and_has_each_part_once() -> None:
    late, early = event(text("late"), id="l", timestamp=AT + 5), event(text("early"), id="e")
    session = Session(id="s1", app_name="erp", user_id="anna", events=[late, early, late])
    transcript = transcript_of(session)
    assert transcript.session_id == "s1"
    assert [entry.text for entry in transcript.entries] == ["early", "late"]


@st.composite
def events_with_rewinds(draw: st.DrawFn) -> Sequence[Event]:
    events = []
    for number in range(draw(st.integers(0, 12))):
        invocation = draw(st.sampled_from("abcd"))
        undone = draw(st.none() | st.sampled_from("abcdx"))
        actions = EventActions(rewind_before_invocation_id=undone)
        parts = [] if undone else [text(f"{number}")]
        events.append(event(*parts, id=f"e{number}", invocation_id=invocation, actions=actions, timestamp=AT + number))
    return events


@given(events_with_rewinds())
def test_a_rewind_undoes_what_it_undoes_in_adk(events: Sequence[Event]) -> None:
    live = [each.id for each in _apply_rewinds(list(events))]
    assert [entry.event_id for entry in after_rewinds(entries_of(events))] == live

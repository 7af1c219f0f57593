"""From ADK events to entries: each shape, and nothing raises."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from google.adk.events._rewind_events import _apply_rewinds
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions, EventCompaction
from google.adk.sessions.session import Session
from google.adk.tools.tool_confirmation import ToolConfirmation
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from twofold.adk.transcript import entries_of, transcript_of
from twofold.memory.pairing import steps_of
from twofold.memory.rewinds import after_rewinds
from twofold.memory.splitting import split
from twofold.memory.transcript import Entry

DATA = Path(__file__).parents[2] / "data" / "adk_sessions"
AT = 1_772_355_600.25


def event(*parts: types.Part, author: str = "clerk", **fields: Any) -> Event:
    content = types.Content(role="model", parts=list(parts)) if parts else None
    return Event(**{"id": "e1", "invocation_id": "i1", "author": author, "timestamp": AT, "content": content, **fields})


def text(said: str, **fields: Any) -> types.Part:
    return types.Part(text=said, **fields)


def call(name: str, call_id: str | None = "c1", **args: Any) -> types.Part:
    return types.Part(function_call=types.FunctionCall(id=call_id, name=name, args=args))


def response(name: str, payload: dict[str, Any], call_id: str | None = "c1") -> types.Part:
    return types.Part(function_response=types.FunctionResponse(id=call_id, name=name, response=payload))


def fields_of(entry: Entry) -> dict[str, Any]:
    """Return the fields of an entry that differ from those every event gives."""
    blank = Entry(event_id="e1", kind="said", author="clerk", at=datetime.fromtimestamp(AT, UTC), invocation_id="i1")
    names = Entry.__dataclass_fields__
    return {name: getattr(entry, name) for name in names if getattr(entry, name) != getattr(blank, name)}


AUTH = EventActions.model_construct(requested_auth_configs={"c1": SimpleNamespace(client_secret="s3cr3t")})
SUMMARY = EventCompaction(start_timestamp=1, end_timestamp=2, compacted_content=types.Content(parts=[text("summary")]))

SHAPES: dict[str, tuple[Event, list[dict[str, Any]]]] = {
    "a text of the agent": (event(text("Done")), [{"text": "Done"}]),
    "a text of the user": (event(text("Hi"), author="user"), [{"author": "user", "text": "Hi"}]),
    "a workflow message has role user and is the agent's": (
        event(content=types.Content(role="user", parts=[text("Hi")])),
        [{"text": "Hi"}],
    ),
    "a thought": (event(text("hmm", thought=True)), [{"text": "hmm", "thought": True}]),
    "a partial chunk": (event(text("Do"), partial=True), [{"text": "Do", "partial": True}]),
    "two texts": (event(text("a"), text("b")), [{"text": "a"}, {"text": "b", "part": 1}]),
    "a text and two calls": (
        event(text("On it"), call("post", "c1", doc=1), call("check", "c2")),
        [
            {"text": "On it"},
            {"kind": "called", "part": 1, "tool": "post", "call_id": "c1", "payload": {"doc": 1}},
            {"kind": "called", "part": 2, "tool": "check", "call_id": "c2", "payload": {}},
        ],
    ),
    "a call without an id": (event(call("post", None)), [{"kind": "called", "tool": "post", "payload": {}}]),
    "a long-running call": (
        event(call("job"), long_running_tool_ids={"c1"}),
        [{"kind": "called", "tool": "job", "call_id": "c1", "payload": {}, "long_running": True}],
    ),
    "a response": (
        event(response("post", {"status": "ok"})),
        [{"kind": "returned", "tool": "post", "call_id": "c1", "payload": {"status": "ok"}}],
    ),
    "a response that asks for confirmation": (
        event(
            response("post", {"error": "confirm"}),
            response("check", {"ok": True}, "c2"),
            actions=EventActions(requested_tool_confirmations={"c1": ToolConfirmation(hint="?")}),
        ),
        [
            {
                "kind": "returned",
                "tool": "post",
                "call_id": "c1",
                "payload": {"error": "confirm"},
                "awaiting": "confirmation",
            },
            {"kind": "returned", "part": 1, "tool": "check", "call_id": "c2", "payload": {"ok": True}},
        ],
    ),
    "a response that asks for authorization": (
        event(response("post", {"pending": True}), actions=AUTH),
        [
            {
                "kind": "returned",
                "tool": "post",
                "call_id": "c1",
                "payload": {"pending": True},
                "awaiting": "authorization",
            }
        ],
    ),
    "a request for credentials keeps no arguments": (
        event(call("adk_request_credential", authConfig={"client_secret": "s3cr3t"})),
        [{"kind": "called", "tool": "adk_request_credential", "call_id": "c1"}],
    ),
    "an answer with credentials keeps no response": (
        event(response("adk_request_credential", {"access_token": "s3cr3t"}), author="user"),
        [{"kind": "returned", "author": "user", "tool": "adk_request_credential", "call_id": "c1"}],
    ),
    "a confirmation of the user": (
        event(response("adk_request_confirmation", {"confirmed": True}), author="user"),
        [
            {
                "kind": "confirmed",
                "author": "user",
                "tool": "adk_request_confirmation",
                "call_id": "c1",
                "payload": {"confirmed": True},
            }
        ],
    ),
    "a confirmation that ADK sealed when the client aborted": (
        event(response("adk_request_confirmation", {"error": "aborted"})),
        [{"kind": "returned", "tool": "adk_request_confirmation", "call_id": "c1", "payload": {"error": "aborted"}}],
    ),
    "an answer to a form": (
        event(response("adk_request_input", {"ledger": "US"}), author="user"),
        [
            {
                "kind": "answered",
                "author": "user",
                "tool": "adk_request_input",
                "call_id": "c1",
                "payload": {"ledger": "US"},
            }
        ],
    ),
    "the result of a long-running tool": (
        event(response("job", {"status": "done"}), author="user"),
        [{"kind": "returned", "author": "user", "tool": "job", "call_id": "c1", "payload": {"status": "done"}}],
    ),
    "an error": (
        event(error_code="RuntimeError", error_message="db down"),
        [{"kind": "failed", "part": 1, "error": "RuntimeError", "text": "db down"}],
    ),
    "an error without a message": (event(error_code="SAFETY"), [{"kind": "failed", "part": 1, "error": "SAFETY"}]),
    "an error beside a response": (
        event(response("post", {"error": "aborted"}), error_code="INVOCATION_ABORTED", error_message="aborted"),
        [
            {"kind": "returned", "tool": "post", "call_id": "c1", "payload": {"error": "aborted"}},
            {"kind": "failed", "part": 2, "error": "INVOCATION_ABORTED", "text": "aborted"},
        ],
    ),
    "a rewind": (
        event(author="user", actions=EventActions(rewind_before_invocation_id="i0")),
        [{"kind": "rewound", "part": 2, "author": "user", "rewinds_to": "i0"}],
    ),
    "what the user spoke": (
        event(author="user", input_transcription=types.Transcription(text="Close it", finished=True)),
        [{"author": "user", "text": "Close it"}],
    ),
    "a piece of what the agent spoke": (
        event(output_transcription=types.Transcription(text=" do", finished=False)),
        [{"text": " do", "chunk": True}],
    ),
    "a compaction": (event(author="user", actions=EventActions(compaction=SUMMARY)), []),
    "a compaction with the summary as content": (event(text("summary"), actions=EventActions(compaction=SUMMARY)), []),
    "a change of state": (event(actions=EventActions(state_delta={"a": 1})), []),
    "bytes": (
        event(types.Part(inline_data=types.Blob(data=b"\x89PNG", mime_type="image/png")), text("see this")),
        [{"text": "see this", "part": 1}],
    ),
    "a blank text": (event(text(" \n")), []),
    "a branch": (event(text("Done"), branch="par.p1"), [{"text": "Done", "branch": "par.p1"}]),
    "nothing": (event(), []),
}


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


RECORDED = [
    ("adk-samples__customer-service_eval_sessions_123", 6),
    ("adk-samples__personalized-shopping_tests_example_interactions_image_search_denim_skirt", 11),
    ("adk-samples__personalized-shopping_tests_example_interactions_text_search_floral_dress", 12),
]


@pytest.mark.parametrize(("name", "call_count"), RECORDED)
def test_every_call_of_a_recorded_session_pairs_with_its_response(name: str, call_count: int) -> None:
    session = Session.model_validate_json((DATA / f"{name}.session.json").read_text())
    entries = transcript_of(session).entries
    steps = steps_of(entries, framework=frozenset())
    answers = {entry.event_id: entry for entry in entries if entry.kind == "returned"}
    assert len(steps) == call_count
    assert all(step.outcome == "SUCCESS" for step in steps)
    assert len({step.event_ids[1] for step in steps}) == call_count
    assert all(answers[step.event_ids[1]].tool == step.tool for step in steps)


@pytest.mark.parametrize(("name", "call_count"), RECORDED)
def test_a_recorded_session_makes_an_episode_that_tells_each_step(name: str, call_count: int) -> None:
    session = Session.model_validate_json((DATA / f"{name}.session.json").read_text())
    parts = split(transcript_of(session))
    assert parts.episode is not None
    assert parts.episode.outcome == "success"
    assert (
        parts.episode.narrative.count(" → SUCCESS") == call_count == sum(len(run.steps) for run in parts.episode.runs)
    )
    assert {turn.role for turn in parts.turns} == {"user", "agent"}


@pytest.mark.parametrize(
    "name",
    [
        "adk-python__context_update_test_successful_test",
        "adk-python__flow_complex_spark_sample",
    ],
)
def test_an_old_shape_is_refused_by_adk_by_name_and_gives_nothing_here(name: str) -> None:
    old = json.loads((DATA / f"{name}.session.json").read_text())
    with pytest.raises(ValidationError, match="appName"):
        Session.model_validate(old)
    assert transcript_of(old).entries == ()
    assert entries_of(old["events"]) == ()


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

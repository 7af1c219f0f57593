"""The shapes of ADK 2.13's events, each with the entries it becomes. A shape found later is a new row."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions, EventCompaction
from google.adk.tools.tool_confirmation import ToolConfirmation
from google.genai import types

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

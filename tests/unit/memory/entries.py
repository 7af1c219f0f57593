"""Entries for tests: one function for each kind, times a second apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from twofold.memory.jsontypes import Json
from twofold.memory.steps import Step, StepOutcome
from twofold.memory.transcript import Entry

START = datetime(2026, 3, 1, 9, tzinfo=UTC)


def session(*entries: Entry) -> tuple[Entry, ...]:
    """Number the entries: an event and a second each."""
    return tuple(
        replace(entry, event_id=entry.event_id or f"e{number}", at=START + timedelta(seconds=number))
        for number, entry in enumerate(entries)
    )


def user(text: str, invocation: str = "i1", **more: bool) -> Entry:
    return Entry(event_id="", kind="said", author="user", at=START, invocation_id=invocation, text=text, **more)


def agent(text: str, invocation: str = "i1", **more: bool) -> Entry:
    return Entry(event_id="", kind="said", author="clerk", at=START, invocation_id=invocation, text=text, **more)


def called(  # noqa: PLR0917
    tool: str,
    call_id: str | None = "c1",
    invocation: str = "i1",
    args: Json = None,
    *,
    event_id: str = "",
    author: str = "clerk",
    branch: str = "",
    long_running: bool = False,
) -> Entry:
    return Entry(
        event_id=event_id,
        kind="called",
        author=author,
        at=START,
        invocation_id=invocation,
        branch=branch,
        tool=tool,
        call_id=call_id,
        payload={} if args is None else args,
        long_running=long_running,
    )


def returned(tool: str, call_id: str | None = "c1", invocation: str = "i1", response: Json = "ok", **more: object) -> Entry:
    entry = Entry(
        event_id="",
        kind="returned",
        author="clerk",
        at=START,
        invocation_id=invocation,
        tool=tool,
        call_id=call_id,
        payload=response,
    )
    return replace(entry, **more)  # type: ignore[arg-type]


def failed(error: str, text: str = "", invocation: str = "i1", **more: str) -> Entry:
    return Entry(
        event_id="", kind="failed", author=more.pop("author", "clerk"), at=START, invocation_id=invocation, error=error,
        text=text, **more,
    )


def confirmed(call_id: str, payload: Json, invocation: str = "i1") -> Entry:
    return Entry(
        event_id="",
        kind="confirmed",
        author="user",
        at=START,
        invocation_id=invocation,
        call_id=call_id,
        payload=payload,
        tool="adk_request_confirmation",
    )


def answered(call_id: str, payload: Json, invocation: str = "i1") -> Entry:
    return Entry(
        event_id="",
        kind="answered",
        author="user",
        at=START,
        invocation_id=invocation,
        call_id=call_id,
        payload=payload,
        tool="adk_request_input",
    )


def asks_confirmation(call_id: str, of: str, invocation: str = "i1") -> Entry:
    args: Json = {"originalFunctionCall": {"id": of, "name": "post", "args": {}}}
    return called("adk_request_confirmation", call_id, invocation, args, long_running=True)


def rewound(to: str, invocation: str = "r") -> Entry:
    return Entry(event_id="", kind="rewound", author="user", at=START, invocation_id=invocation, rewinds_to=to)


def step(tool: str = "post", outcome: StepOutcome = "SUCCESS", reason: str = "", event: str = "", args: Json = None) -> Step:
    return Step(
        tool=tool,
        args=args,
        outcome=outcome,
        reason=reason,
        started_at=START,
        seconds=None,
        event_ids=(event,) if event else (),
    )


def texts(entries: Iterable[Entry]) -> list[str]:
    return [entry.text for entry in entries]

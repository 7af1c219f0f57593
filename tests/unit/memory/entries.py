"""Entries for tests: one function for each kind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from twofold.memory.jsontypes import Json
from twofold.memory.steps import Step, StepOutcome
from twofold.memory.transcript import Entry, EntryKind

START = datetime(2026, 3, 1, 9, tzinfo=UTC)


def session(*entries: Entry) -> tuple[Entry, ...]:
    """Give each entry an event and a second of its own, in order."""
    return tuple(
        replace(entry, event_id=entry.event_id or f"e{number}", at=START + timedelta(seconds=number))
        for number, entry in enumerate(entries)
    )


def user(text: str, invocation: str = "i1", **more: Any) -> Entry:
    return _entry("said", invocation, author="user", text=text, **more)


def agent(text: str, invocation: str = "i1", **more: Any) -> Entry:
    return _entry("said", invocation, text=text, **more)


def called(tool: str, call_id: str | None = "c1", invocation: str = "i1", *, args: Json = None, **more: Any) -> Entry:
    return _entry("called", invocation, tool=tool, call_id=call_id, payload={} if args is None else args, **more)


def returned(
    tool: str, call_id: str | None = "c1", invocation: str = "i1", *, response: Json = "ok", **more: Any
) -> Entry:
    return _entry("returned", invocation, tool=tool, call_id=call_id, payload=response, **more)


def failed(error: str, text: str = "", invocation: str = "i1", **more: Any) -> Entry:
    return _entry("failed", invocation, error=error, text=text, **more)


def asks_confirmation(call_id: str, of: str, invocation: str = "i1") -> Entry:
    args: Json = {"originalFunctionCall": {"id": of, "name": "post", "args": {}}}
    return called("adk_request_confirmation", call_id, invocation, args=args, long_running=True)


def confirmed(call_id: str, payload: Json, invocation: str = "i1") -> Entry:
    return _entry("confirmed", invocation, author="user", call_id=call_id, payload=payload)


def answered(call_id: str, payload: Json, invocation: str = "i1") -> Entry:
    return _entry("answered", invocation, author="user", call_id=call_id, payload=payload)


def rewound(to: str, invocation: str = "r") -> Entry:
    return _entry("rewound", invocation, author="user", rewinds_to=to)


def step(
    tool: str = "post", outcome: StepOutcome = "SUCCESS", reason: str = "", *, event: str = "", args: Json = None
) -> Step:
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


def _entry(kind: EntryKind, invocation: str, **fields: Any) -> Entry:
    return Entry(
        **{"event_id": "", "kind": kind, "author": "clerk", "at": START, "invocation_id": invocation, **fields}
    )

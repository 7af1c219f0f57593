"""From ADK's session events to the redacted entries of a transcript.

What an event may look like was measured with ADK 2.13; everything is read leniently, as events come from
other versions, other session services and test doubles too. A shape that is not known is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from google.adk.events.event import Event
from google.adk.events.event_actions import EventCompaction
from google.adk.sessions.session import Session

from twofold.memory.clean import clean_json, clean_text
from twofold.memory.framework import REQUEST_CONFIRMATION, REQUEST_CREDENTIAL, REQUEST_INPUT
from twofold.memory.redaction import DEFAULT, Redactor
from twofold.memory.rewinds import with_starts
from twofold.memory.transcript import Awaiting, Entry, EntryKind, Transcript, merge

_EPOCH = datetime.fromtimestamp(0, UTC)


def transcript_of(session: Session, redactor: Redactor = DEFAULT) -> Transcript:
    """Return a session as a transcript: clean, without secrets, in order of time. Never raises."""
    entries = merge((), entries_of(_list(session, "events"), redactor))
    return Transcript(session_id=clean_text(_text(session, "id")), entries=entries)


def entries_of(events: Iterable[Event], redactor: Redactor = DEFAULT) -> tuple[Entry, ...]:
    """Return the entries of events, clean and without secrets, in the order of the events. Never raises.

    Bytes, auth payloads and compacted summaries are never copied. An event without an id gets one from its
    invocation and time, so that it is the same event when it is handed over again.
    """
    read = [entry for blank, event in _with_blanks(events) for entry in _entries(blank, event)]
    return redactor.entries(with_starts(read))


def _with_blanks(events: Iterable[Event]) -> Iterator[tuple[Entry, Event]]:
    """Yield each event with an entry that holds what all its entries have in common."""
    seen: Counter[str] = Counter()
    at = _EPOCH
    for event in events:
        at = _time(getattr(event, "timestamp", None)) or at
        blank = Entry(
            event_id=clean_text(_text(event, "id")),
            kind="said",
            author=clean_text(_text(event, "author")),
            at=at,
            invocation_id=clean_text(_text(event, "invocation_id")),
            branch=clean_text(_text(event, "branch")),
            partial=getattr(event, "partial", None) is True,
        )
        if not blank.event_id:
            made = f"{blank.invocation_id}/{at.isoformat()}"
            blank = replace(blank, event_id=f"{made}/{seen[made]}")
            seen[made] += 1
        yield blank, event


def _entries(blank: Entry, event: Event) -> Iterator[Entry]:
    """Yield the entries of one event: of its parts, numbered as they stand, then of the event itself."""
    if isinstance(getattr(getattr(event, "actions", None), "compaction", None), EventCompaction):
        return
    parts = _list(getattr(event, "content", None), "parts")
    for number, part in enumerate(parts):
        blank_part = replace(blank, part=number, thought=getattr(part, "thought", None) is True)
        entry = next(filter(None, (read(blank_part, part, event) for read in _OF_PARTS)), None)
        if entry is not None:
            yield entry
    for number, read in enumerate(_OF_EVENTS, start=len(parts)):
        if (entry := read(replace(blank, part=number), event)) is not None:
            yield entry


def _said(blank: Entry, part: object, _event: Event) -> Entry | None:
    text = clean_text(_text(part, "text"))
    return replace(blank, text=text) if text.strip() else None


def _called(blank: Entry, part: object, event: Event) -> Entry | None:
    call = getattr(part, "function_call", None)
    tool = _text(call, "name")
    if not tool:
        return None
    call_id = _text(call, "id") or None
    return replace(
        blank,
        kind="called",
        tool=clean_text(tool),
        call_id=call_id,
        payload=None if tool == REQUEST_CREDENTIAL else clean_json(_mapping(call, "args")),
        long_running=call_id is not None and call_id in _names(event, "long_running_tool_ids"),
    )


def _returned(blank: Entry, part: object, event: Event) -> Entry | None:
    response = getattr(part, "function_response", None)
    tool = _text(response, "name")
    if not tool:
        return None
    call_id = _text(response, "id") or None
    kind: EntryKind = _ANSWERS.get(tool, "returned") if blank.by_user else "returned"
    return replace(
        blank,
        kind=kind,
        tool=clean_text(tool),
        call_id=call_id,
        payload=None if tool == REQUEST_CREDENTIAL else clean_json(_mapping(response, "response")),
        awaiting=_awaiting(event, call_id),
    )


def _awaiting(event: Event, call_id: str | None) -> Awaiting:
    """Return what a response says its call waits for; ADK notes that beside it, by the id of the call."""
    actions = getattr(event, "actions", None)
    if call_id in _names(actions, "requested_tool_confirmations"):
        return "confirmation"
    return "authorization" if call_id in _names(actions, "requested_auth_configs") else ""


def _heard(blank: Entry, event: Event) -> Entry | None:
    """Read a live transcription, which stands where there is no content."""
    if getattr(event, "content", None) is not None:
        return None
    for side, author in (("input_transcription", "user"), ("output_transcription", blank.author)):
        transcription = getattr(event, side, None)
        text = clean_text(_text(transcription, "text"))
        if text:
            chunk = getattr(transcription, "finished", None) is not True
            return replace(blank, author=author, text=text, chunk=chunk)
    return None


def _failed(blank: Entry, event: Event) -> Entry | None:
    code = getattr(event, "error_code", None)
    error = clean_text(_text(code, "value") or (code if isinstance(code, str) else ""))
    if not error:
        return None
    return replace(blank, kind="failed", error=error, text=clean_text(_text(event, "error_message")))


def _rewound(blank: Entry, event: Event) -> Entry | None:
    undone = clean_text(_text(getattr(event, "actions", None), "rewind_before_invocation_id"))
    return replace(blank, kind="rewound", rewinds_to=undone) if undone else None


_ANSWERS: Mapping[str, EntryKind] = {REQUEST_CONFIRMATION: "confirmed", REQUEST_INPUT: "answered"}
# A new shape is a new reader. Those of events number their entries: put a new one at the end.
_OF_PARTS: tuple[Callable[[Entry, object, Event], Entry | None], ...] = (_called, _returned, _said)
_OF_EVENTS: tuple[Callable[[Entry, Event], Entry | None], ...] = (_heard, _failed, _rewound)


def _text(thing: object, name: str) -> str:
    value = getattr(thing, name, None)
    return value if isinstance(value, str) else ""


def _list(thing: object, name: str) -> Sequence[Any]:
    value = getattr(thing, name, None)
    return value if isinstance(value, (list, tuple)) else ()


def _mapping(thing: object, name: str) -> Mapping[object, object] | None:
    value = getattr(thing, name, None)
    return value if isinstance(value, Mapping) else None


def _names(thing: object, name: str) -> frozenset[str]:
    value = getattr(thing, name, None)
    members = value if isinstance(value, (Mapping, set, frozenset, list, tuple)) else ()
    return frozenset(member for member in members if isinstance(member, str))


def _time(stamp: object) -> datetime | None:
    """Return a time stamp in UTC; None where it is none, and the event stands at the time before it."""
    if not isinstance(stamp, (int, float)):
        return None
    try:
        return datetime.fromtimestamp(stamp, UTC)
    except (ValueError, OverflowError, OSError):
        return None

"""Step 1 of `memory_write`: refuse what cannot be used, strip what no database takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from typing_extensions import TypedDict

from twofold.memory.clean import clean_json, clean_text
from twofold.memory.errors import InvalidInput
from twofold.memory.scope import Scope
from twofold.memory.times import FIRST_YEAR, LAST_YEAR, is_tellable, told
from twofold.memory.transcript import Entry, merge
from twofold.nodes.plain import ENTRIES, ScopeState, checked_entries, checked_scope, plain
from twofold.nodes.write.state import WriteInput

MAX_ENTRIES = 50_000
MAX_PART = 2**31 - 1


class Validated(TypedDict):
    """The input, checked and cleaned."""

    scope: ScopeState
    session_id: str
    entries: list[dict[str, object]]


async def validate(state: WriteInput, *, bound: Scope | None = None) -> Validated:
    """Check every field, strip what cannot be stored, order the entries by time, each event's part once.

    Raises InvalidInput, which names the field, the limit and the kind of value that was given.
    """
    session_id: object = state.get("session_id")
    if not isinstance(session_id, str) or not session_id:
        raise InvalidInput(f"session_id: expected a text that is not empty, not {session_id!r:.40}")
    entries = merge((), cleaned_entries(checked_entries(state.get("entries"), limit=MAX_ENTRIES)))
    return {
        "scope": checked_scope(state.get("scope"), bound),
        "session_id": session_id,
        "entries": plain(ENTRIES, entries),
    }


def cleaned_entries(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the entries with texts and payloads that can be stored.

    Raises InvalidInput for a time without its zone, or one that some zone could not tell, and for a `part` out
    of bounds.
    """
    return tuple(map(_cleaned, entries))


def _cleaned(entry: Entry) -> Entry:
    since = None if entry.rewinds_since is None else _told("rewinds_since", entry, entry.rewinds_since)
    if not 0 <= entry.part <= MAX_PART:
        raise InvalidInput(f"entries: the part of event {entry.event_id!r:.80} is not of 0 to {MAX_PART}")
    return replace(
        entry,
        at=_told("time", entry, entry.at),
        rewinds_since=since,
        text=clean_text(entry.text),
        tool=clean_text(entry.tool),
        error=clean_text(entry.error),
        payload=clean_json(entry.payload),
    )


def _told(name: str, entry: Entry, at: datetime) -> datetime:
    if at.tzinfo is None:
        raise InvalidInput(f"entries: the {name} of event {entry.event_id!r:.80} has no zone")
    if not is_tellable(at):
        raise InvalidInput(f"entries: the {name} of event {entry.event_id!r:.80} is not of {FIRST_YEAR} to {LAST_YEAR}")
    return told(at)

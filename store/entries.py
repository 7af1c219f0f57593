"""A transcript's entries as rows: only the fields that say something, and only what is new."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from datetime import datetime
from typing import Any

from twofold.memory.errors import InvalidInput
from twofold.memory.jsontypes import Json
from twofold.memory.scope import label
from twofold.memory.times import checked_time
from twofold.memory.transcript import Entry
from twofold.store.storable import checked_json, cleaned, cleaned_text

_DEFAULTS = {field.name: field.default for field in fields(Entry)}
_TIMES = ("at", "rewinds_since")

Identity = tuple[str, int]


def identity(entry: Entry) -> Identity:
    """Return what names an entry within its session: the label of its event, and its part."""
    return label(cleaned_text(entry.event_id)), entry.part


def news(known: Mapping[Identity, bool], arrived: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the entries that `merge` would add or replace. `known` tells which entries have an exact duration."""
    found: dict[Identity, Entry] = {}
    for entry in arrived:
        name = identity(entry)
        before = found.get(name)
        timed = known.get(name) if before is None else before.seconds is not None
        if timed is None or (not timed and entry.seconds is not None):
            found[name] = entry
    return tuple(found.values())


def with_zones(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the entries. Raises InvalidInput if a time has no zone: it could not be ordered among the others."""
    for entry in entries:
        if entry.at.tzinfo is None:
            raise InvalidInput(f"entry {entry.event_id!r}: its time has no zone")
        at = checked_time(f"the time of entry {entry.event_id!r}", entry.at)
        since = entry.rewinds_since
        if since is not None:
            since = checked_time(f"rewinds_since of entry {entry.event_id!r}", since)
        unchanged = at is entry.at and since is entry.rewinds_since
        yield entry if unchanged else replace(entry, at=at, rewinds_since=since)


def columns(entries: Sequence[Entry]) -> dict[str, list[Any]]:
    """Return the columns of these entries, as Postgres can keep them.

    What one tool returned must not cost the whole session: NUL and lone surrogates become U+FFFD, NaN null.
    Raises InvalidInput for what is nested too deep.
    """
    return {
        "labels": [identity(entry)[0] for entry in entries],
        "parts": [entry.part for entry in entries],
        "times": [entry.at for entry in entries],
        "entries": [_json(entry) for entry in entries],
    }


def entry_of(row: Mapping[str, Any]) -> Entry:
    """Return an entry as it was stored. A field that a newer version wrote and this one does not know is left out.

    Plain construction, not pydantic: we wrote it ourselves, and a long session has a thousand.
    """
    known = {name: value for name, value in row.items() if name in _DEFAULTS}
    times = {name: datetime.fromisoformat(row[name]) for name in _TIMES if row.get(name)}
    return Entry(**{**known, **times})


def as_stored(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield the entries with event ids as they are stored, by which what was erased is known."""
    for entry in entries:
        event_id = cleaned_text(entry.event_id)
        yield entry if event_id == entry.event_id else replace(entry, event_id=event_id)


def _json(entry: Entry) -> str:
    name = f"entry {entry.event_id!r}"
    said = _said(entry)
    try:
        return checked_json(name, said)
    except InvalidInput:
        return checked_json(name, cleaned(name, said))


def _said(entry: Entry) -> dict[str, Json]:
    said: dict[str, Json] = {}
    for name, default in _DEFAULTS.items():
        value = getattr(entry, name)
        if default is MISSING or value != default:
            said[name] = value.isoformat() if isinstance(value, datetime) else value
    return said

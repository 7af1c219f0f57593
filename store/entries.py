"""A transcript's entries as JSON: only the fields that say something."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from datetime import datetime
from typing import Any

from twofold.memory.errors import InvalidInput
from twofold.memory.jsontypes import Json
from twofold.memory.transcript import Entry
from twofold.store.storable import cleaned, is_storable

_DEFAULTS = {field.name: field.default for field in fields(Entry)}


def entries_to_json(entries: Iterable[Entry]) -> list[dict[str, Json]]:
    """Return each entry as an object. Raises InvalidInput for a time without its zone."""
    return [_to_json(entry) for entry in entries]


def cleaned_entries(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Return the entries as Postgres can keep them; nearly always they are as they came.

    What one tool returned must not cost the whole session, and ids must compare equal with those stored.
    Raises InvalidInput for a time without its zone, and for what is nested too deep.
    """
    rows = entries_to_json(entries)
    return entries if is_storable(rows) else entries_from_json(cleaned("transcript", rows))


def entries_from_json(rows: Iterable[Mapping[str, Any]]) -> tuple[Entry, ...]:
    """Return the entries. Fields that a newer version wrote and this one does not know are left out.

    Plain construction, not pydantic: these are rows we wrote ourselves, and a long session is read at each
    turn (1,000 entries: 3 ms against 14).
    """
    return tuple(
        Entry(
            **{name: value for name, value in row.items() if name in _DEFAULTS and name != "at"},
            at=_time(row),
        )
        for row in rows
    )


def _to_json(entry: Entry) -> dict[str, Json]:
    if entry.at.tzinfo is None:
        raise InvalidInput(f"entry {entry.event_id!r}: its time has no zone")
    said: dict[str, Json] = {}
    for name, default in _DEFAULTS.items():
        value = getattr(entry, name)
        if default is MISSING or value != default:
            said[name] = value.isoformat() if isinstance(value, datetime) else value
    return said


def _time(row: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(row["at"])

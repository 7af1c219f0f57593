"""What the user undid: a session keeps rewound turns, memory must not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from twofold.memory.transcript import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """The events of a session that were rewound, and the last rewind: its event and when it was."""

    event_ids: frozenset[str]
    marker_id: str
    at: datetime


def after_rewinds(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the entries that still count, without the markers of rewinds.

    A marker undoes everything from the first entry of the invocation it names up to itself, other markers
    included. Read from the end, as ADK does, so that a marker which was itself undone has no effect. Where that
    invocation is not there (any more), it undoes what came since it began; where that is not known either, nothing.
    """
    kept, _ = _rewound(tuple(entries))
    return kept


def with_starts(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the entries of a whole session, its rewinds with the time when the invocation they name began."""
    began: dict[str, datetime] = {}
    for entry in entries:
        began.setdefault(entry.invocation_id, entry.at)
    for entry in entries:
        since = began.get(entry.rewinds_to) if entry.kind == "rewound" else None
        yield entry if since is None else replace(entry, rewinds_since=since)


def undone(entries: Iterable[Entry]) -> Undone | None:
    """Return what was rewound of a session, rewinds that were themselves undone included; None if nothing was."""
    entries = tuple(entries)
    kept, markers = _rewound(entries)
    if not markers:
        return None
    left = {entry.event_id for entry in (*kept, *markers)}
    last = markers[0]
    gone = frozenset(entry.event_id for entry in entries if entry.event_id not in left)
    return Undone(event_ids=gone, marker_id=last.event_id, at=last.at) if gone else None


def _rewound(entries: tuple[Entry, ...]) -> tuple[tuple[Entry, ...], list[Entry]]:
    """Return the entries that still count, and the markers in force, the last one first."""
    starts: dict[str, int] = {}
    for position, entry in enumerate(entries):
        starts.setdefault(entry.invocation_id, position)
    kept: list[Entry] = []
    markers: list[Entry] = []
    position = len(entries) - 1
    while position >= 0:
        entry = entries[position]
        if entry.kind == "rewound":
            position = min(position, starts.get(entry.rewinds_to, _first_since(entries, entry.rewinds_since, position)))
            markers.append(entry)
        else:
            kept.append(entry)
        position -= 1
    return tuple(reversed(kept)), markers


def _first_since(entries: Sequence[Entry], since: datetime | None, otherwise: int) -> int:
    if since is None:
        return otherwise
    return next((position for position, entry in enumerate(entries) if entry.at >= since), otherwise)

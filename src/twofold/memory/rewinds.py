"""What the user undid: a session keeps rewound turns, memory must not."""

from __future__ import annotations

from collections.abc import Iterable

from twofold.memory.transcript import Entry


def after_rewinds(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the entries that still count, without the markers of rewinds.

    A marker undoes everything from the first entry of the invocation it names up to itself, other markers
    included. Read from the end, as ADK does, so that a marker which was itself undone has no effect. A
    marker naming an unknown or later invocation undoes nothing.
    """
    entries = tuple(entries)
    starts: dict[str, int] = {}
    for position, entry in enumerate(entries):
        starts.setdefault(entry.invocation_id, position)
    kept: list[Entry] = []
    position = len(entries) - 1
    while position >= 0:
        entry = entries[position]
        if entry.kind == "rewound":
            position = min(position, starts.get(entry.rewinds_to, position))
        else:
            kept.append(entry)
        position -= 1
    return tuple(reversed(kept))

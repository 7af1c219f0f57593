"""Which changes of a save may be stored, given what was erased and what was stored of its session meanwhile."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from twofold.memory.memories import Change, Save
from twofold.memory.tombstones import Tombstone


def surviving(save: Save, erased: Sequence[Tombstone]) -> tuple[Change, ...]:
    """Return the changes that do not bring back what was erased, without the erased among their events."""
    return tuple(_surviving(save, erased))


def is_repeated(save: Save, seen: Collection[str], erased: Iterable[Tombstone]) -> bool:
    """Whether the facts of all turns of a save are stored already, or erased again.

    So it is when a step of a graph run is run anew from an old checkpoint.
    """
    known = frozenset(seen).union(*(stone.event_ids for stone in erased if stone.kind != "episodic"))
    return bool(save.seen_event_ids) and known.issuperset(save.seen_event_ids)


def _surviving(save: Save, erased: Iterable[Tombstone]) -> Iterator[Change]:
    for change in save.changes:
        stones = [stone for stone in erased if stone.kind in (None, change.kind)]
        if change.action == "DELETE" or not stones:
            yield change
        elif not _is_replayed(change, stones):
            gone = frozenset[str]().union(*(stone.event_ids for stone in stones))
            left = tuple(event_id for event_id in change.source.event_ids if event_id not in gone)
            yield replace(change, source=replace(change.source, event_ids=left))


def _is_replayed(change: Change, stones: Sequence[Tombstone]) -> bool:
    """Whether a change rests on nothing but what was erased.

    A fact said anew may rest on an old event as well, and a run that was resumed on its old request: the steps
    that were erased are left out where the session is taken apart.
    """
    source = change.source
    if any(stone.before is not None and source.at <= stone.before for stone in stones):
        return True
    gone = [event_id for event_id in source.event_ids if any(event_id in stone.event_ids for stone in stones)]
    return bool(gone) and len(gone) == len(source.event_ids)

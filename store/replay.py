"""Which changes of a save may be stored, given what was erased of its session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from twofold.memory.errors import Conflict
from twofold.memory.memories import Change, Save
from twofold.memory.tombstones import Tombstone


def surviving(save: Save, erased: Sequence[Tombstone], generation: int) -> tuple[Change, ...]:
    """Return the changes that do not bring back what was erased, without the erased among their events.

    Raises Conflict if memories changed since the save was prepared and something of its session was ever
    erased: run again, it is prepared without that.
    """
    if erased and save.generation != generation:
        raise Conflict("Part of this session was erased while it was worked on; run the graph again")
    return tuple(_surviving(save, erased))


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

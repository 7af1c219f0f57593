"""What was erased must not come back with a session that is handed over again."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from twofold.memory.scope import Kind
from twofold.memory.transcript import Entry

_STEPS = frozenset({"called", "returned", "failed", "confirmed"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """Events of a session that were erased: those up to `before`, and those named.

    `kind` None = for facts and episodes alike.
    """

    kind: Kind | None
    before: datetime | None
    event_ids: frozenset[str]

    def covers(self, event_id: str, at: datetime) -> bool:
        """Whether this event was erased."""
        return event_id in self.event_ids or (self.before is not None and at <= self.before)


def remaining(entries: Iterable[Entry], tombstones: Iterable[Tombstone]) -> tuple[Entry, ...]:
    """Return the entries that may still be remembered.

    What was erased for both kinds is left out. What was erased as an episode loses its steps and keeps what was
    said, since facts may rest on it. What was erased as a fact stays: such events count as already extracted.
    """
    dropped_by = [tombstone for tombstone in tombstones if tombstone.kind != "semantic"]
    return tuple(entry for entry in entries if not any(_drops(tombstone, entry) for tombstone in dropped_by))


def _drops(tombstone: Tombstone, entry: Entry) -> bool:
    concerned = tombstone.kind is None or entry.kind in _STEPS
    return concerned and tombstone.covers(entry.event_id, entry.at)


def unneeded(entries: Iterable[Entry], gone: Collection[str], needed: Collection[str]) -> frozenset[str]:
    """Return the events of a session of which nothing is to be kept once a memory that rested on `gone` is erased.

    Those of `gone` that no other memory needs, and what the agent said in the same invocation: it repeats what it was
    told. An event of which a step was a part stays unless it is among `gone` itself: its episode may still come.
    """
    entries = tuple(entries)
    without = frozenset(gone) - frozenset(needed)
    spared = {entry.event_id for entry in entries if entry.kind in _STEPS or entry.by_user} | set(needed)
    told_in = {entry.invocation_id for entry in entries if entry.event_id in without} - {""}
    echoes = (entry.event_id for entry in entries if entry.kind == "said" and entry.invocation_id in told_in)
    return without | {event_id for event_id in echoes if event_id not in spared}

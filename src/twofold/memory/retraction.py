"""What becomes of a memory when events it rests on are undone after they were stored.

A fact is what the changes of it that still count say. So a fact said only in a rewound turn goes, a correction made
there gives way to the words before it, and what was deleted there comes back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from twofold.memory.history import AuditEntry
from twofold.memory.memories import Memory, Retraction, Source, origin_of
from twofold.memory.rewinds import Undone


def retraction(
    key: str, memory: Memory | None, history: Sequence[AuditEntry], session_id: str, undone: Undone
) -> Retraction | None:
    """Return what a fact is without what was undone of a session, None if that changes nothing.

    `memory` is the fact as it is stored, None if it is not; `history` are its changes, the oldest first. What was
    erased has no words in its history, and so never comes back.
    """
    gone = [line for line in history if _is_undone(line, session_id, undone.event_ids)]
    counting = [line for line in history if line not in gone]
    text: str | None = _last_words(counting)
    if memory is None:
        sources = _sources_of(counting)
        was_deleted = any(line.action == "DELETE" for line in gone)  # else it has expired, and stays so
        if not (was_deleted and text and sources):
            return None
    else:
        sources = tuple(_without_events(memory.sources, session_id, undone.event_ids))
        if sources == memory.sources:
            return None
        is_gone = not sources or (counting and counting[-1].action == "DELETE")
        text = None if is_gone else text or _words_left(memory, history, counting)
    return Retraction(kind="semantic", key=key, text=text, sources=sources, because=_because_of(session_id, undone))


def episode_retraction(memory: Memory, session_id: str, undone: Undone) -> Retraction | None:
    """Return that an episode is gone, where what was undone of its session left no step of it; None where it is not.

    To be asked only for a session that has no steps any more.
    """
    told = {event_id for source in memory.sources for event_id in source.event_ids}
    if undone.event_ids.isdisjoint(told):
        return None
    because = _because_of(session_id, undone)
    return Retraction(kind="episodic", key=memory.key, text=None, sources=(), because=because)


def _because_of(session_id: str, undone: Undone) -> Source:
    """Return the rewind as a source: the user's own act."""
    return Source(session_id=session_id, event_ids=(undone.marker_id,), at=undone.at, origin="user said")


def _without_events(sources: Iterable[Source], session_id: str, undone: frozenset[str]) -> Iterator[Source]:
    """Yield the sources without the undone events of a session; one that rests on nothing else is left out."""
    for source in sources:
        if source.session_id != session_id or undone.isdisjoint(source.event_ids):
            yield source
        elif left := tuple(event_id for event_id in source.event_ids if event_id not in undone):
            yield replace(source, event_ids=left)


def _is_undone(line: AuditEntry, session_id: str, undone: frozenset[str]) -> bool:
    return line.session_id == session_id and bool(line.event_ids) and undone.issuperset(line.event_ids)


def _last_words(lines: Sequence[AuditEntry]) -> str:
    """Return the words that the last of these changes left, empty where it deleted or erased them."""
    return lines[-1].after if lines and lines[-1].action != "DELETE" else ""


def _words_left(memory: Memory, history: Sequence[AuditEntry], counting: Sequence[AuditEntry]) -> str | None:
    """Return a fact's words where those before them were erased: None if it has them from what was undone."""
    worded = [line for line in history if line.action in {"ADD", "UPDATE"}]
    return memory.text if not worded or worded[-1] in counting else None


def _sources_of(lines: Sequence[AuditEntry]) -> tuple[Source, ...]:
    """Return the sources that a history tells, since the last time the fact was not there."""
    gone = max((place for place, line in enumerate(lines) if line.action in {"DELETE", "ERASE"}), default=-1)
    return tuple(
        Source(
            session_id=line.session_id,
            event_ids=tuple(line.event_ids),
            at=line.at,
            origin=origin_of(line.origin),
        )
        for line in lines[gone + 1 :]
        if line.event_ids
    )

"""What a save makes of the memories that are there: a pure rule, from changes and stored rows to what is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import uuid4

from twofold.memory.keys import episode_key, fact_key, fingerprint
from twofold.memory.lateness import is_late
from twofold.memory.memories import Action, Applied, Change, Memory, Retraction, Save, Source
from twofold.memory.scope import Kind

# What is deleted first cannot be in the way of a fact that takes over its words.
_ORDER = {"DELETE": 0, "UPDATE": 1, "ADD": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One line of the audit: what was done to a memory, its words before and after, and because of what."""

    action: Action
    kind: Kind
    key: str
    before: str
    after: str
    source: Source


@dataclass(slots=True)
class Reconciled:
    """What is to be written.

    `reworded` holds the keys whose words are new and need a new vector; `worded_by` the session they are from, where
    that is not the one that is saved.
    """

    applied: list[Applied] = field(default_factory=list)
    recorded: list[Recorded] = field(default_factory=list)
    written: dict[str, Memory] = field(default_factory=dict)
    reworded: set[str] = field(default_factory=set)
    worded_by: dict[str, str] = field(default_factory=dict)
    deleted: dict[str, Kind] = field(default_factory=dict)


def new_key(save: Save, change: Change) -> str:
    """Return the key of what a change adds."""
    if change.kind == "episodic":
        return change.key or episode_key(save.scope, save.session_id)
    return fact_key(save.scope, save.session_id, change.text)


def reconcile(save: Save, changes: Iterable[Change], stored: Iterable[Memory]) -> Reconciled:
    """Apply what was retracted, then the changes, deletions first, to the memories that they name or repeat.

    A fact whose words are there already gains a source and nothing else (NOOP). An update that comes to the
    words of another fact extends that one and deletes the updated one. What an update no longer finds is
    added; what a deletion no longer finds is a NOOP. So is what was said before the fact was last said: a session
    that is stored late brings no old words back.
    """
    desk = _Desk(save, stored)
    for gone in save.retracted:
        desk.retract(gone)
    for change in sorted(changes, key=lambda change: _ORDER[change.action]):
        desk.apply(change)
    return desk.result


def merged_sources(known: Sequence[Source], new: Source) -> tuple[Source, ...]:
    """Return the sources with one more; one of the same session and origin is extended instead."""
    for position, source in enumerate(known):
        if (source.session_id, source.origin) == (new.session_id, new.origin):
            event_ids = tuple(dict.fromkeys((*source.event_ids, *new.event_ids)))
            extended = replace(source, event_ids=event_ids, at=max(source.at, new.at))
            return (*known[:position], extended, *known[position + 1 :])
    return (*known, new)


class _Desk:
    """The memories at hand while changes are applied one after another."""

    def __init__(self, save: Save, stored: Iterable[Memory]) -> None:
        self.result = Reconciled()
        self._save = save
        self._memories = {memory.key: memory for memory in stored}
        self._keys = {fingerprint(memory.text): memory.key for memory in self._memories.values() if _is_fact(memory)}

    def retract(self, gone: Retraction) -> None:
        """Leave of a memory what does not rest on undone events; earlier words may be another fact's by now."""
        change, current = _retracting(gone), self._memories.get(gone.key)
        key = None if gone.text is None else self._keys.get(fingerprint(gone.text), gone.key)
        if key == gone.key:
            self._restore(change, gone, current)
            return
        if key is not None:
            for source in gone.sources:
                self._extend(replace(change, source=source), self._memories[key])
        if current is not None:
            self._delete(change, gone.key)

    def apply(self, change: Change) -> None:
        if change.action == "DELETE":
            self._withdraw(change, change.key or new_key(self._save, change))
        elif change.kind == "episodic":
            self._put(change, self._memories.get(new_key(self._save, change)))
        else:
            self._put_fact(change)

    def _put_fact(self, change: Change) -> None:
        current = self._memories.get(change.key) if change.action == "UPDATE" and change.key else None
        key = self._keys.get(fingerprint(change.text))
        if key is None or (current is not None and key == current.key):  # new words, or the same in another spelling
            self._put(change, current)
            return
        self._extend(change, self._memories[key])
        if current is not None and current.key != key and not is_late(change, current):
            self._delete(change, current.key)

    def _put(self, change: Change, current: Memory | None) -> None:
        if current is None:
            self._add(change)
        elif (current.text, current.content) == (change.text, change.content):
            self._extend(change, current)
        elif is_late(change, current):
            self._record("NOOP", change, current.key, before=current.text, after=current.text)
        else:
            self._reword(change, current)

    def _add(self, change: Change) -> None:
        key = new_key(self._save, change)
        if key in self._memories:
            # First said in this session, then reworded, now said again: its key is taken by its successor.
            key = str(uuid4())
        memory = Memory(
            key=key,
            kind=change.kind,
            text=change.text,
            content=change.content,
            sources=(change.source,),
            rev=1,
            created_at=change.source.at,
            updated_at=change.source.at,
        )
        self._write(memory, reworded=True)
        self._record("ADD", change, key, before="", after=change.text)

    def _reword(self, change: Change, current: Memory) -> None:
        # An episode is told anew from the whole session: what it rested on before may have been rewound since.
        is_whole = change.kind == "episodic"
        sources = (change.source,) if is_whole else merged_sources(current.sources, change.source)
        memory = replace(
            current,
            text=change.text,
            content=change.content,
            sources=sources,
            rev=current.rev + 1,
            updated_at=_newest(sources),
        )
        self._keys.pop(fingerprint(current.text), None)
        self._write(memory, reworded=True)
        self._record("UPDATE", change, current.key, before=current.text, after=change.text)

    def _restore(self, change: Change, gone: Retraction, current: Memory | None) -> None:
        sources = gone.sources
        if current is not None and current.text == change.text:
            self._write(replace(current, sources=sources, updated_at=_newest(sources)), reworded=False)
            self._record("NOOP", change, current.key, before=current.text, after=current.text)
            return
        memory = Memory(
            key=gone.key,
            kind=change.kind,
            text=change.text,
            content=change.content,
            sources=sources,
            rev=1 if current is None else current.rev + 1,
            created_at=min(source.at for source in sources) if current is None else current.created_at,
            updated_at=_newest(sources),
        )
        before = "" if current is None else current.text
        self._keys.pop(fingerprint(before), None)
        self._write(memory, reworded=True)
        self.result.worded_by[gone.key] = sources[-1].session_id
        self._record("UPDATE" if before else "ADD", change, gone.key, before=before, after=change.text)

    def _extend(self, change: Change, current: Memory) -> None:
        sources = merged_sources(current.sources, change.source)
        if sources != current.sources:
            newest = max(current.updated_at, change.source.at)
            self._write(replace(current, sources=sources, updated_at=newest), reworded=False)
        self._record("NOOP", change, current.key, before=current.text, after=current.text)

    def _withdraw(self, change: Change, key: str) -> None:
        current = self._memories.get(key)
        if current is not None and is_late(change, current):
            self._record("NOOP", change, key, before=current.text, after=current.text)
        else:
            self._delete(change, key)

    def _delete(self, change: Change, key: str) -> None:
        current = self._memories.pop(key, None)
        if current is None:
            self._record("NOOP", change, key, before="", after="")
            return
        self._keys.pop(fingerprint(current.text), None)
        self.result.written.pop(key, None)
        self.result.reworded.discard(key)
        self.result.deleted[key] = change.kind
        self._record("DELETE", change, key, before=current.text, after="")

    def _write(self, memory: Memory, *, reworded: bool) -> None:
        self._memories[memory.key] = self.result.written[memory.key] = memory
        self.result.deleted.pop(memory.key, None)
        if reworded:
            self.result.reworded.add(memory.key)
        if _is_fact(memory):
            self._keys[fingerprint(memory.text)] = memory.key

    def _record(self, action: Action, change: Change, key: str, *, before: str, after: str) -> None:
        self.result.applied.append(Applied(action=action, kind=change.kind, key=key))
        self.result.recorded.append(
            Recorded(action=action, kind=change.kind, key=key, before=before, after=after, source=change.source)
        )


def _retracting(gone: Retraction) -> Change:
    text = gone.text or ""
    return Change(
        action="DELETE" if gone.text is None else "UPDATE",
        kind=gone.kind,
        key=gone.key,
        text=text,
        content={"content": text},
        source=gone.because,
    )


def _newest(sources: Iterable[Source]) -> datetime:
    return max(source.at for source in sources)


def _is_fact(memory: Memory) -> bool:
    return memory.kind == "semantic"

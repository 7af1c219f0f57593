"""What is remembered, where it came from, and how a save changes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, get_args

from twofold.memory.jsontypes import JsonObject
from twofold.memory.scope import Kind, Scope
from twofold.memory.tombstones import Tombstone

Origin: TypeAlias = Literal["user said", "agent said", "tool returned", "form", "host", "import", "user"]
"""`user`: corrected by the user's own hand."""
_ORIGINS: Mapping[object, Origin] = {name: name for name in get_args(Origin)}
Action: TypeAlias = Literal["ADD", "UPDATE", "DELETE", "NOOP"]
Part: TypeAlias = Literal["semantic", "episodic"]
Vector: TypeAlias = Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a memory came from. `at` is the time of the newest of its events."""

    session_id: str
    event_ids: tuple[str, ...]
    at: datetime
    origin: Origin


def origin_of(name: object) -> Origin:
    """Return the origin of this name; what has another one was brought here by somebody: an import."""
    return _ORIGINS.get(name, "import")


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One stored memory. `text` is what is embedded and shown; `updated_at` is its newest source event's time.

    After a search, `score` is its cosine similarity and `exact` says that it holds an identifier of the query.
    """

    key: str
    kind: Kind
    text: str
    content: JsonObject
    sources: tuple[Source, ...]
    rev: int
    created_at: datetime
    updated_at: datetime
    score: float | None = None
    exact: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FactChange:
    """What an extractor decided about one fact: ADD a text, or UPDATE or DELETE the fact `key`.

    `event_ids` are the user-authored events it rests on (validated by the extract node).
    """

    action: Literal["ADD", "UPDATE", "DELETE"]
    text: str = ""
    key: str | None = None
    event_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of the store, ready to be persisted. `key` None = a new fact, keyed by its text."""

    action: Literal["ADD", "UPDATE", "DELETE"]
    kind: Kind
    key: str | None
    text: str
    content: JsonObject
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Retraction:
    """What one memory is without events that were undone: its words and sources; `text` None for nothing at all.

    `because` is the rewind, and the source of this change.
    """

    kind: Kind
    key: str
    text: str | None
    sources: tuple[Source, ...]
    because: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Save:
    """All that one session changes, persisted in one transaction or not at all.

    `generation` is the scope's generation at which the session was taken apart (compare-and-set, checked only
    when something changes). `seen_event_ids` are the events whose facts are now extracted. `models` names the model of
    each part, for the audit. `retracted` is applied before `changes`.
    """

    scope: Scope
    session_id: str
    generation: int
    changes: tuple[Change, ...]
    seen_event_ids: tuple[str, ...]
    models: Mapping[Part, str]
    retracted: tuple[Retraction, ...] = ()


def texts_of(save: Save) -> list[str]:
    """Return each text of a save once, in order: `Memories.save` wants a vector for each."""
    said = {change.text for change in save.changes if change.action != "DELETE"}
    return sorted(said | {gone.text for gone in save.retracted if gone.text is not None})


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What persisting one change came to: NOOP when the text was there already and only a source was added."""

    action: Action
    kind: Kind
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What of a session is stored already, what of it was erased, and the scope's generation now."""

    generation: int
    seen_event_ids: frozenset[str]
    tombstones: tuple[Tombstone, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """What a query brings back: facts and episodes, newest first."""

    facts: tuple[Memory, ...]
    episodes: tuple[Memory, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where a page of a listing ended: the time, key and kind of its last memory."""

    at: datetime
    key: str
    kind: Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some memories, the newest first, and where the next page begins; None on the last one."""

    memories: tuple[Memory, ...]
    next: Position | None

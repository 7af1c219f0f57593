"""Ports in memory for unit tests of nodes: plain dictionaries, counting what was asked of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from twofold.memory.errors import ModelFailed
from twofold.memory.jsontypes import Json
from twofold.memory.memories import Applied, FactChange, Memory, Part, Progress, Retraction, Save, Vector, texts_of
from twofold.memory.ports import ReadPorts, WritePorts
from twofold.memory.rewinds import Undone
from twofold.memory.scope import Kind, Scope
from twofold.memory.steps import Episode, EpisodeWords, Turn
from twofold.memory.tombstones import Tombstone
from twofold.testing import HashEmbedder

AT = datetime(2026, 4, 1, 12, tzinfo=UTC)


@dataclass
class DictMemories:
    """Memories in a list; `saves` are what persist handed over."""

    stored: list[Memory] = field(default_factory=list)
    seen: frozenset[str] = frozenset()
    tombstones: tuple[Tombstone, ...] = ()
    retracted: tuple[Retraction, ...] = ()
    undone: list[Undone] = field(default_factory=list)
    saves: list[Save] = field(default_factory=list)
    searched: list[tuple[Scope, Kind, str, str | None]] = field(default_factory=list)

    async def search(
        self,
        scope: Scope,
        kind: Kind,
        *,
        query: str,
        vector: Vector,
        limit: int,
        except_session: str | None = None,
    ) -> Sequence[Memory]:
        self.searched.append((scope, kind, query, except_session))
        return [memory for memory in self.stored if memory.kind == kind][:limit]

    async def get(self, scope: Scope, key: str) -> Memory | None:
        return next((memory for memory in self.stored if memory.key == key), None)

    async def progress(self, scope: Scope, session_id: str) -> Progress:
        return Progress(generation=3, seen_event_ids=self.seen, tombstones=self.tombstones)

    async def retractions(self, scope: Scope, session_id: str, undone: Undone) -> Sequence[Retraction]:
        self.undone.append(undone)
        return self.retracted

    async def save(self, save: Save, vectors: Mapping[str, Vector]) -> Sequence[Applied]:
        assert texts_of(save) == sorted(vectors)
        self.saves.append(save)
        return [Applied(action=c.action, kind=c.kind, key=c.key or "new") for c in save.changes]


@dataclass
class DictKept:
    """Kept extractions in a dictionary."""

    kept: dict[tuple[str, Part, str], Json] = field(default_factory=dict)

    async def get(self, scope: Scope, session_id: str, part: Part, input_hash: str) -> Json:
        return self.kept.get((session_id, part, input_hash))

    async def keep(self, scope: Scope, session_id: str, part: Part, input_hash: str, result: Json) -> None:
        self.kept[session_id, part, input_hash] = result


@dataclass
class ScriptedExtractor:
    """Returns the changes it was given, or fails; `asked` are the turns of each call."""

    changes: Sequence[FactChange] = ()
    failure: str = ""
    name: str = "scripted"
    asked: list[Sequence[Turn]] = field(default_factory=list)

    async def extract(self, turns: Sequence[Turn], known: Sequence[Memory]) -> Sequence[FactChange]:
        self.asked.append(turns)
        if self.failure:
            raise ModelFailed(self.failure)
        return self.changes


@dataclass
class ScriptedNarrator:
    """Returns fixed words, or fails; `asked` are the episodes."""

    failure: str = ""
    name: str = "scripted"
    asked: list[Episode] = field(default_factory=list)

    async def tell(self, episode: Episode) -> EpisodeWords:
        self.asked.append(episode)
        if self.failure:
            raise ModelFailed(self.failure)
        return EpisodeWords(title="Close March", overall="The close failed.", lesson="Post subledgers first.")


def write_ports(**given: object) -> WritePorts:
    """Return write ports; what is not given is in memory and empty."""
    ports: dict[str, object] = {
        "facts": ScriptedExtractor(),
        "narrator": ScriptedNarrator(),
        "embedder": HashEmbedder(),
        "memories": DictMemories(),
        "kept": DictKept(),
    }
    return WritePorts(**(ports | given))  # type: ignore[arg-type]


def read_ports(memories: DictMemories, recalled: list[Scope], floor: float | None = None) -> ReadPorts:
    """Return read ports over `memories`; `recalled` collects whose memory was read."""
    return ReadPorts(embedder=HashEmbedder(), memories=memories, recalled=recalled.append, relevance_floor=floor)


def said(event_id: str, text: str, author: str = "user", minute: int = 0) -> dict[str, object]:
    """Return an entry as graph input holds it."""
    at = AT.replace(minute=minute).isoformat()
    return {"event_id": event_id, "kind": "said", "author": author, "text": text, "at": at}


def called(event_id: str, tool: str, response: Json, minute: int = 10, **args: Json) -> list[dict[str, object]]:
    """Return a tool call and its response as graph input holds them."""
    at = AT.replace(minute=minute).isoformat()
    common: dict[str, object] = {"author": "agent", "tool": tool, "call_id": event_id, "at": at, "invocation_id": "i1"}
    return [
        {**common, "event_id": event_id, "kind": "called", "payload": args},
        {**common, "event_id": f"{event_id}r", "kind": "returned", "payload": response},
    ]


SCOPE = {"tenant_id": "acme", "user_id": "anna"}


def memory(key: str, kind: Kind = "semantic", minute: int = 0, **given: object) -> Memory:
    """Return a stored memory."""
    at = AT.replace(minute=minute)
    values: dict[str, object] = {"text": f"text of {key}", "content": {}, "sources": (), "rev": 1, "score": 0.5}
    return Memory(key=key, kind=kind, created_at=at, updated_at=at, **(values | given))  # type: ignore[arg-type]

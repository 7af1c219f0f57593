"""The seams: what the nodes need from models, from the store and from the clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from twofold.memory.jsontypes import Json
from twofold.memory.memories import Applied, FactChange, Memory, Part, Progress, Retraction, Save, Vector
from twofold.memory.redaction import DEFAULT, Redactor
from twofold.memory.rewinds import Undone
from twofold.memory.scope import Kind, Scope
from twofold.memory.steps import Episode, EpisodeWords, Turn


class Clock(Protocol):
    """The time."""

    def now(self) -> datetime:
        """Return the current time, with its zone."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors; remembers recent ones by the text's hash."""

    @property
    def name(self) -> str:
        """The model's name with its provider, as recorded in the database."""
        ...

    @property
    def dims(self) -> int:
        """The length of each vector."""
        ...

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return one finite, non-zero vector per text, in order. Raises ModelFailed."""
        ...


class FactExtractor(Protocol):
    """Decides which facts a conversation adds, updates or deletes."""

    @property
    def name(self) -> str:
        """The extractor's or chat model's name, kept in the audit."""
        ...

    async def extract(self, turns: Sequence[Turn], known: Sequence[Memory]) -> Sequence[FactChange]:
        """Return the changes to `known` that `turns` call for. Raises ModelFailed; never returns a part."""
        ...


class Narrator(Protocol):
    """Words an episode; what happened is settled before it is asked."""

    @property
    def name(self) -> str:
        """The narrator's or chat model's name, kept in the audit."""
        ...

    async def tell(self, episode: Episode) -> EpisodeWords:
        """Return a title, one sentence on the whole and a lesson. Raises ModelFailed."""
        ...


class Memories(Protocol):
    """The stored memories of all scopes; every call is bound to exactly one."""

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
        """Return at most `limit` unexpired memories, the most similar first, exact identifiers included.

        Memories whose only sources are `except_session` are left out.
        """
        ...

    async def get(self, scope: Scope, key: str) -> Memory | None:
        """Return one unexpired memory of this scope, else None."""
        ...

    async def progress(self, scope: Scope, session_id: str) -> Progress:
        """Return what of this session is stored already."""
        ...

    async def retractions(self, scope: Scope, session_id: str, undone: Undone) -> Sequence[Retraction]:
        """Return what the stored facts are without what was undone of this session; none where nothing changes."""
        ...

    async def save(self, save: Save, vectors: Mapping[str, Vector]) -> Sequence[Applied]:
        """Persist all changes in one transaction. `vectors` holds one vector for each text. Raises Conflict."""
        ...


class KeptExtractions(Protocol):
    """Paid extractions, kept until their save is persisted, so that a retry pays only for what failed."""

    async def get(self, scope: Scope, session_id: str, part: Part, input_hash: str) -> Json:
        """Return what was kept for exactly this input, else None."""
        ...

    async def keep(self, scope: Scope, session_id: str, part: Part, input_hash: str, result: Json) -> None:
        """Keep a result; replaces one for another input of the same part."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WritePorts:
    """What the write graph needs. `min_messages`: fewer turns than this, and no tool call, is not worth a save."""

    facts: FactExtractor
    narrator: Narrator
    embedder: Embedder
    memories: Memories
    kept: KeptExtractions
    min_messages: int = 2
    redactor: Redactor = DEFAULT


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPorts:
    """What the read graph needs.

    `relevance_floor` is the least cosine similarity of what is recalled, None for no floor. `recalled` is
    told whose memory was read, and must return at once.
    """

    embedder: Embedder
    memories: Memories
    recalled: Callable[[Scope], None]
    relevance_floor: float | None = None
    redactor: Redactor = DEFAULT

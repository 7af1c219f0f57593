"""Bodies about memories: what is stored, searched, corrected and listed, and what was done to it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal, Self

from pydantic import Field

from twofold.memory.history import AuditEntry
from twofold.memory.keys import body_id, url_key
from twofold.memory.memories import Action, Applied, Memory, Origin, Recall
from twofold.memory.scope import Kind
from twofold.wire.parts import LONGEST_ID, LONGEST_TEXT, MOST_QUERY, MOST_TEXTS, Body, Time


class SourceBody(Body):
    """Where a memory came from."""

    session_id: str = Field(description="The session, empty for what came without one.")
    event_ids: list[str] = Field(description="The events it rests on.")
    at: datetime = Field(description="The time of the newest of them.")
    origin: Origin = Field(description="Who said or did it.")


class MemoryBody(Body):
    """One memory."""

    key: str = Field(description="Its key, as it stands in a URL.")
    kind: Kind = Field(description="`semantic` for a fact, `episodic` for an episode.")
    text: str = Field(description="The memory in words.")
    content: dict[str, Any] = Field(description="Its data: an episode's runs and steps.")
    sources: list[SourceBody] = Field(description="What it rests on.")
    rev: int = Field(description="How often it was worded.")
    created_at: datetime = Field(description="When it was first stored.")
    updated_at: datetime = Field(description="The time of its newest source event.")
    score: float | None = Field(default=None, description="Cosine similarity to the query, after a search.")
    exact: bool = Field(default=False, description="Whether it holds an exact identifier of the query.")

    @classmethod
    def of(cls, memory: Memory) -> Self:
        """Return the body of a memory."""
        sources = [
            SourceBody(session_id=body_id(s.session_id), event_ids=list(s.event_ids), at=s.at, origin=s.origin)
            for s in memory.sources
        ]
        return cls(
            key=url_key(memory.key),
            kind=memory.kind,
            text=memory.text,
            content=dict(memory.content),
            sources=sources,
            rev=memory.rev,
            created_at=memory.created_at,
            updated_at=memory.updated_at,
            score=memory.score,
            exact=memory.exact,
        )


class MemoryPage(Body):
    """Some memories, the newest first."""

    memories: list[MemoryBody]
    next: str | None = Field(description="The cursor of the next page, null on the last one.")


class ChangeBody(Body):
    """One change of one memory."""

    at: datetime
    kind: str
    key: str = Field(description="The memory's key, as it stands in a URL.")
    action: Action | Literal["ERASE"]
    before: str = Field(description="Its words before; erased memories have none.")
    after: str = Field(description="Its words after.")
    session_id: str = Field(description="The session it came from.")
    event_ids: list[str] = Field(description="The events it came from.")
    origin: str = Field(description="Who said or did it.")
    model: str = Field(description="The extractor or model that decided it.")

    @classmethod
    def of(cls, entry: AuditEntry) -> Self:
        """Return the body of a change."""
        return cls(
            at=entry.at,
            kind=entry.kind,
            key=url_key(entry.key) if entry.key else "",
            action=entry.action,  # type: ignore[arg-type]  # the table's check holds it to these words
            before=entry.before,
            after=entry.after,
            session_id=body_id(entry.session_id),
            event_ids=list(entry.event_ids),
            origin=entry.origin,
            model=entry.model,
        )


class History(Body):
    """What was done to one memory, the newest first."""

    changes: list[ChangeBody]


class Correction(Body):
    """A fact in the user's own words."""

    text: str = Field(min_length=1, max_length=LONGEST_TEXT, description="What is true instead.")
    rev: int | None = Field(
        default=None, ge=0, strict=True, description="The `rev` that was corrected; refused if it is older."
    )


class Text(Body):
    """A fact in its final words."""

    text: str = Field(min_length=1, max_length=LONGEST_TEXT, description="The fact.")
    at: Time | None = Field(default=None, description="When it became true; null is now.")


class Texts(Body):
    """Facts to store as they are worded."""

    memories: list[Text] = Field(min_length=1, max_length=MOST_TEXTS)


class StoredItem(Body):
    """What became of one change."""

    action: Action
    kind: Kind
    key: str = Field(description="The memory's key, as it stands in a URL.")


class Stored(Body):
    """What was stored; NOOP where the same text was there already."""

    stored: list[StoredItem]

    @staticmethod
    def of(applied: Iterable[Applied]) -> Stored:
        """Return the body of what persisting changes came to."""
        items = [StoredItem(action=item.action, kind=item.kind, key=url_key(item.key)) for item in applied]
        return Stored(stored=items)


class Question(Body):
    """One search."""

    query: str = Field(max_length=MOST_QUERY, description="What to look for, in words; a blank query finds nothing.")
    except_session: str | None = Field(
        default=None,
        max_length=LONGEST_ID,
        description="Leave out memories that come from this session only; its id as in `session_id`.",
    )


class RecallBody(Body):
    """What is remembered for a query, newest first."""

    facts: list[MemoryBody] = Field(description="At most 6.")
    episodes: list[MemoryBody] = Field(description="At most 4.")

    @staticmethod
    def of(recall: Recall) -> RecallBody:
        """Return the body of a recall."""
        return RecallBody(
            facts=[MemoryBody.of(memory) for memory in recall.facts],
            episodes=[MemoryBody.of(memory) for memory in recall.episodes],
        )

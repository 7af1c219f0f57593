"""What goes over HTTP: the bodies of requests and answers, for the server and for whoever calls it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from twofold.memory.keys import url_key
from twofold.memory.memories import Action, Memory, Origin
from twofold.memory.scope import Kind
from twofold.memory.transcript import Entry

MOST_ENTRIES = 50_000
MOST_TEXTS = 1_000
MOST_QUERY = 100_000
LONGEST_TEXT = 10_000
LONGEST_ID = 2_000
MOST_ON_A_PAGE = 200
LONGEST_WAIT = 30.0

TENANT_HEADER = "X-Twofold-Tenant"
USER_HEADER = "X-Twofold-User"
"""Whom a service acts for, each percent-encoded UTF-8."""

SessionId = Annotated[str, Field(min_length=1, max_length=LONGEST_ID, description="The session's id.")]


class Body(BaseModel):
    """A body with exactly the fields that are named."""

    model_config = ConfigDict(extra="forbid", frozen=True)


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

    @staticmethod
    def of(memory: Memory) -> MemoryBody:
        """Return the body of a memory."""
        sources = [
            SourceBody(session_id=s.session_id, event_ids=list(s.event_ids), at=s.at, origin=s.origin)
            for s in memory.sources
        ]
        return MemoryBody(
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


class History(Body):
    """What was done to one memory, the newest first."""

    changes: list[ChangeBody]


class Correction(Body):
    """A fact in the user's own words."""

    text: str = Field(min_length=1, max_length=LONGEST_TEXT, description="What is true instead.")
    rev: int | None = Field(default=None, ge=0, description="The `rev` that was corrected; refused if it is older.")


class Text(Body):
    """A fact in its final words."""

    text: str = Field(min_length=1, max_length=LONGEST_TEXT, description="The fact.")
    at: AwareDatetime | None = Field(default=None, description="When it became true; null is now.")


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


class Question(Body):
    """One search."""

    query: str = Field(max_length=MOST_QUERY, description="What to look for, in words; a blank query finds nothing.")
    except_session: str | None = Field(
        default=None, max_length=LONGEST_ID, description="Leave out memories that come from this session only."
    )


class RecallBody(Body):
    """What is remembered for a query, newest first."""

    facts: list[MemoryBody] = Field(description="At most 6.")
    episodes: list[MemoryBody] = Field(description="At most 4.")


class HandedOver(Body):
    """A session, whole or in part: it is merged with what is known of it."""

    session_id: SessionId
    entries: list[Entry] = Field(max_length=MOST_ENTRIES, description="Its entries; see the reference.")
    at_once: bool = Field(default=False, description="Save it now instead of when it has settled.")


class Accepted(Body):
    """The session is safe; its memories follow."""

    session_id: str
    revision: int = Field(description="The revision that holds what was handed over; 0 if nothing is kept of it.")


class SessionProgress(Body):
    """How far the save of a session got."""

    session_id: str
    revision: int = Field(description="The newest accepted revision.")
    stored: bool = Field(description="Whether the revision asked about is stored.")
    given_up: bool = Field(description="Whether its save was given up, and waits for a retry.")
    error: str = Field(description="Why the last attempt failed, empty if none did.")


class ErasedBody(Body):
    """How much was erased."""

    memories: int
    sessions: int
    audit_entries: int
    jobs: int


class HealthBody(Body):
    """How memory is doing, and what waits: of the caller, for a service that names nobody of everyone."""

    extractor: str = Field(description="What takes out the facts.")
    embedder: str = Field(description="What makes the vectors.")
    waiting: int = Field(description="Accepted sessions that are not stored yet.")
    failed: int = Field(description="Accepted sessions whose save was given up.")
    oldest_at: datetime | None = Field(description="When the oldest of those that wait was accepted.")


class Retried(Body):
    """How many sessions are worked on anew."""

    sessions: int


class Problem(BaseModel):
    """What went wrong, as RFC 9457 words it."""

    type: str = Field(default="about:blank", description="The class of error.")
    title: str = Field(description="The kind of problem in short.")
    status: int
    detail: str = Field(description="What happened and what to do.")
    field: str | None = Field(default=None, description="The field that cannot be used.")
    limit: str | None = Field(default=None, description="What the field may be.")

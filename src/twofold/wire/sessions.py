"""Bodies about sessions, about all that is kept of a person, and about the memory itself."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from twofold.memory.history import SessionPart
from twofold.memory.keys import body_id
from twofold.wire.entries import TypedEntry
from twofold.wire.memories import ChangeBody, MemoryBody
from twofold.wire.parts import MOST_ENTRIES, Body, SessionId


class HandedOver(Body):
    """A session, whole or in part: it is merged with what is known of it."""

    session_id: SessionId
    entries: list[TypedEntry] = Field(max_length=MOST_ENTRIES, description="Its entries; see the reference.")
    at_once: bool = Field(default=False, strict=True, description="Save it now instead of when it has settled.")


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


class SaveErrorBody(Body):
    """The last attempt to save a session that failed."""

    session_id: str = Field(description="The session, which waits or was given up.")
    at: datetime | None = Field(description="When it failed, null where nobody noted it.")
    cause: str = Field(description="Why.")


class HealthBody(Body):
    """How memory is doing, and what waits: of the caller, for a service that names nobody of everyone."""

    told: str = Field(description="How memory is doing, in one sentence.")
    extractor: str = Field(description="What takes out the facts.")
    embedder: str = Field(description="What makes the vectors.")
    waiting: int = Field(description="Accepted sessions that are not stored yet.")
    failed: int = Field(description="Accepted sessions whose save was given up.")
    oldest_at: datetime | None = Field(description="Since when the oldest of those that wait does.")
    behind_since: datetime | None = Field(
        description="The same, once that is longer ago than a save should wait: memory is behind since then."
    )
    last_error: SaveErrorBody | None = Field(description="Why a save of them failed last, null if none did.")


class Retried(Body):
    """How many sessions are worked on anew."""

    sessions: int


class ExportedMemory(MemoryBody):
    """A line of an export: a memory."""

    type: Literal["memory"] = "memory"


class ExportedChange(ChangeBody):
    """A line of an export: one change of one memory."""

    type: Literal["change"] = "change"


class ExportedSession(Body):
    """A line of an export: some entries of an accepted session; a long one has several lines."""

    type: Literal["session"] = "session"
    session_id: str
    accepted_at: datetime = Field(description="When something new of it was last accepted.")
    revision: int = Field(description="Its newest revision.")
    stored: bool = Field(description="Whether that revision is stored.")
    entries: list[dict[str, Any]] = Field(description="Entries in order of time, only the fields that say something.")

    @staticmethod
    def of(part: SessionPart) -> ExportedSession:
        """Return the line of a part of a session."""
        return ExportedSession(
            session_id=body_id(part.session_id),
            accepted_at=part.accepted_at,
            revision=part.revision,
            stored=part.stored,
            entries=[dict(entry) for entry in part.entries],
        )


def line_of(body: ExportedMemory | ExportedChange | ExportedSession) -> dict[str, Any]:
    """Return a line of an export as plain JSON, its type first and without what only a search tells."""
    line = body.model_dump(mode="json", exclude={"score", "exact"})
    return {"type": line.pop("type"), **line}

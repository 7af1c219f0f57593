"""What was kept of a person beside the memories: what was done to them, and the sessions they came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One change of one memory. ERASE entries, and those before them, hold no text."""

    at: datetime
    kind: str
    key: str
    action: str
    before: str
    after: str
    session_id: str
    event_ids: Sequence[str]
    origin: str
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPart:
    """Some entries of an accepted session, as they are stored. A long session is told in several parts."""

    session_id: str
    accepted_at: datetime
    revision: int
    stored: bool
    entries: Sequence[Mapping[str, Any]]

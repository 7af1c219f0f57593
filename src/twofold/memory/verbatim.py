"""A memory that needs no extraction: its words are final."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class VerbatimText:
    """A fact in the host's own words, and when it became true (None = now)."""

    text: str
    at: datetime | None

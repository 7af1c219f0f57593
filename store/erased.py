"""What an erase came to."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """How much was erased, of each kind of thing, and when; all 0 and no time where there was nothing of it.

    `entries` are parts of accepted sessions, `audit_entries` changes that lost their words, `jobs` saves that waited
    or were given up, `extractions` results kept for a retry, `ledger` sessions whose events were noted as extracted.
    `spared` are entries that a memory rested on and that stay, since other memories rest on them too. `people` are
    those of a tenant.
    """

    memories: int = 0
    vectors: int = 0
    sessions: int = 0
    entries: int = 0
    audit_entries: int = 0
    jobs: int = 0
    extractions: int = 0
    ledger: int = 0
    spared: int = 0
    people: int = 0
    at: datetime | None = None

    @property
    def nothing(self) -> bool:
        """Whether there was nothing to erase."""
        return not any(getattr(self, name) for name in _COUNTS)

    def and_more(self, other: Erased) -> Erased:
        """Return both together, at the time of this one."""
        return replace(self, **{name: getattr(self, name) + getattr(other, name) for name in _COUNTS})


_COUNTS = tuple(field.name for field in fields(Erased) if field.name != "at")

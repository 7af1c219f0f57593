"""What a process knows of its memory, so that "memory is down" differs from "nothing known"."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """Accepted sessions that are not stored: how many wait, since when, and how many were given up."""

    waiting: int
    failed: int
    oldest_at: datetime | None


@dataclass(slots=True, kw_only=True)
class Health:
    """The database, the models, and what went wrong. Counters start with the process."""

    database: str
    extractor: str = ""
    embedder: str = ""
    opened: bool = False
    searches_failed: int = 0
    sessions_not_accepted: int = 0
    last_error: str = ""

    def search_failed(self, error: BaseException) -> None:
        """Count a search that brought nothing because it failed or took too long."""
        self.searches_failed += 1
        self.last_error = f"search: {reason_of(error)}"
        logger.warning(
            "Memory could not be searched: %s", reason_of(error), exc_info=logger.isEnabledFor(logging.DEBUG) and error
        )

    def not_accepted(self, error: BaseException) -> None:
        """Count a session that was not accepted."""
        self.sessions_not_accepted += 1
        self.last_error = f"accept: {reason_of(error)}"


def reason_of(error: BaseException) -> str:
    """Return why something failed, in the words of its error where it has any."""
    return str(error) or ("it took too long" if isinstance(error, TimeoutError) else type(error).__name__)

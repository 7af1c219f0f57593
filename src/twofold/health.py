"""What a process knows of its memory, so that "memory is down" differs from "nothing known"."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime

from twofold.memory.errors import EmbedderMismatch, SettingsInvalid, StoreUnavailable, TwofoldError
from twofold.memory.wording import one_line

logger = logging.getLogger(__name__)

_LONGEST_CAUSE = 200
_DOWN = (StoreUnavailable, EmbedderMismatch, SettingsInvalid)


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveError:
    """Why the last attempt that failed to save a session did, and when; `at` is None where nobody noted it."""

    session_id: str
    at: datetime | None
    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """Accepted sessions that are not stored: how many wait, since when, and how many were given up.

    `behind_since` is `oldest_at` once that is longer ago than a save should wait. `last_error` is that of the
    sessions that wait or were given up, None while no save of them has failed.
    """

    waiting: int
    failed: int
    oldest_at: datetime | None
    behind_since: datetime | None = None
    last_error: SaveError | None = None

    @property
    def told(self) -> str:
        """How memory is doing, in one sentence."""
        error = f"last error: {one_line(self.last_error.cause, _LONGEST_CAUSE)}" if self.last_error else ""
        lost = f"{'was' if self.failed == 1 else 'were'} given up"
        if self.behind_since is not None:
            waits = f"{_sessions(self.waiting)} {'waits' if self.waiting == 1 else 'wait'}"
            counts = f"{waits}, {self.failed} {lost}" if self.failed else waits
            since = f"{self.behind_since.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
            return f"memory is behind since {since} ({'; '.join(filter(None, (counts, error)))})"
        if self.waiting and error:
            return f"memory is not up to date: {_sessions(self.waiting)} to be saved ({error})"
        if self.failed:
            return f"memory is up to date, but {_sessions(self.failed)} {lost}{f' ({error})' if error else ''}"
        return "memory is up to date"


@dataclass(slots=True, kw_only=True)
class Health:
    """The database, the models, what waits, and what went wrong. Counters start with the process.

    Nothing of it is asked for: it is as it was last seen, by a look every few seconds in a process that works on
    its database, by the answers of the server where memory is on one. `str()` is one sentence.
    """

    database: str
    extractor: str = ""
    embedder: str = ""
    opened: bool = False
    searches_failed: int = 0
    sessions_not_accepted: int = 0
    last_error: str = ""
    down: str = ""
    backlog: Backlog | None = None
    look_soon: bool = False

    @property
    def told(self) -> str:
        """How memory is doing, in one sentence."""
        if self.down:
            return f"memory is down: {self.down}"
        return "nothing known yet" if self.backlog is None else self.backlog.told

    def __str__(self) -> str:
        """Return `told`."""
        return self.told

    def search_failed(self, error: BaseException) -> None:
        """Count a search that brought nothing because it failed or took too long."""
        self.searches_failed += 1
        self._note("search", error)
        logger.warning(
            "Memory could not be searched: %s", reason_of(error), exc_info=logger.isEnabledFor(logging.DEBUG) and error
        )

    def not_accepted(self, error: BaseException) -> None:
        """Count a session that was not accepted."""
        self.sessions_not_accepted += 1
        self._note("accept", error)

    def saw(self, backlog: Backlog) -> None:
        """Take what waits; whoever could see that can reach the memory."""
        self.backlog, self.down = backlog, ""

    def lost(self, error: TwofoldError) -> None:
        """Take note of why what waits cannot be seen."""
        if isinstance(error, _DOWN):
            self.down = reason_of(error)

    def _note(self, what: str, error: BaseException) -> None:
        self.last_error = f"{what}: {reason_of(error)}"
        if isinstance(error, TwofoldError):
            self.lost(error)


def reason_of(error: BaseException) -> str:
    """Return why something failed, in the words of our errors; those of others may quote what a person said."""
    if isinstance(error, TwofoldError) and str(error):
        return str(error)
    return "it took too long" if isinstance(error, TimeoutError) else type(error).__name__


def _sessions(number: int) -> str:
    return f"{number} session{'' if number == 1 else 's'}"

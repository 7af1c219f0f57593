"""How a memory is reached: in this process or on a server, the same either way."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Protocol

from twofold.health import Backlog, Health
from twofold.memory.memories import Recall
from twofold.memory.redaction import Redactor
from twofold.memory.scope import Scope
from twofold.memory.transcript import Transcript
from twofold.memory.verbatim import VerbatimText


class MemoryAccess(Protocol):
    """What an ADK memory service needs of a memory. Any call may come from any thread and event loop."""

    @property
    def health(self) -> Health:
        """What went wrong, and which models and database are in use."""
        ...

    @property
    def redactor(self) -> Redactor:
        """What takes secrets out of what is handed over."""
        ...

    def patience(self) -> float:
        """Return the seconds a search may take."""
        ...

    async def accept(
        self, scope: Scope, transcript: Transcript, *, wait: bool = False, within: float | None = None
    ) -> None:
        """Accept a session durably; with `wait`, return when it is stored. Raises NotAccepted, InvalidInput."""
        ...

    def recall(self, scope: Scope, query: str, except_session: str | None = None) -> Future[Recall]:
        """Start a search; its future raises what went wrong."""
        ...

    async def add(self, scope: Scope, texts: Sequence[VerbatimText]) -> None:
        """Store facts in the host's own words, after redaction."""
        ...

    async def erase_memory(self, scope: Scope, key: str) -> None:
        """Erase one memory with its traces; an unknown key changes nothing."""
        ...

    async def erase_session(self, scope: Scope, session_id: str) -> None:
        """Erase what rests on one session, with its traces."""
        ...

    async def erase_user(self, scope: Scope) -> None:
        """Erase all memory of one person, with its traces."""
        ...

    async def flush(self, *, timeout: float) -> int:
        """Have the sessions accepted here worked on now; return how many are not done after `timeout` seconds."""
        ...

    async def backlog(self) -> Backlog:
        """Return how many accepted sessions wait, and how many were given up."""
        ...

    async def retry(self) -> int:
        """Have what waits and what was given up worked on anew; return how many sessions that are."""
        ...

    def close(self) -> None:
        """Finish what was accepted here, for at most five seconds, and release everything."""
        ...

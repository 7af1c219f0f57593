"""The turn in progress, which ADK does not pass to a memory service."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass

TURNS_ASKED_WITH = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentTurn:
    """The invocation that is running: its session, what the user said, and the last few user turns."""

    invocation_id: str
    session_id: str
    user_text: str
    recent: tuple[str, ...]

    def asks(self, query: str) -> bool:
        """Whether `query` is the user's message itself, as PreloadMemoryTool asks, and not a search of its own."""
        return query.strip() == self.user_text.strip()

    @property
    def widened(self) -> str:
        """The last three user turns as one query: "and for March?" alone finds nothing."""
        return "\n".join(self.recent[-TURNS_ASKED_WITH:])


current_turn: ContextVar[CurrentTurn | None] = ContextVar("twofold_current_turn", default=None)

"""What the agent did: turns, steps, runs and the episode made of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from twofold.memory.jsontypes import Json

Role: TypeAlias = Literal["user", "agent"]
StepOutcome: TypeAlias = Literal["SUCCESS", "FAILURE", "PENDING", "UNKNOWN"]
Outcome: TypeAlias = Literal["success", "partial", "failure", "pending"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One text said by the user or the agent. `context` marks one that was extracted before."""

    event_id: str
    role: Role
    text: str
    at: datetime
    context: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One tool call paired with its last response. `seconds` is None where events do not tell."""

    tool: str
    args: Json
    outcome: StepOutcome
    reason: str
    started_at: datetime
    seconds: float | None
    event_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The steps that served one request of the user, how they ended, and why, where they failed."""

    request: str
    steps: tuple[Step, ...]
    outcome: Outcome
    failure: str
    started_at: datetime
    ended_at: datetime
    event_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """The runs of one session, and their narrative. Data first: no model has touched it."""

    session_id: str
    runs: tuple[Run, ...]
    outcome: Outcome
    workflow: str
    narrative: str
    event_ids: tuple[str, ...]
    started_at: datetime
    ended_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeWords:
    """The words for an episode: a title, one sentence on the whole, and the lesson (may be empty)."""

    title: str
    overall: str
    lesson: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitSession:
    """A transcript taken apart: turns for the semantic memory, the episode (None without tool calls)."""

    turns: tuple[Turn, ...]
    episode: Episode | None

"""The moments at which something is killed, and what must not be paid again when it happened then."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

FACTS = "Memory"
EPISODE = "EpisodeSchema"
"""The tools by which the model double knows what a request is for."""


class Point(StrEnum):
    """Where a child stops, says so, and waits to be killed."""

    ACCEPT_OPEN = "accept: written, not committed"
    ACCEPTED = "accept: committed, not returned"
    FETCHED = "job fetched, save not begun"
    VALIDATE = "validate"
    REDACT = "redact"
    SPLIT = "split"
    FACTS_BEFORE = "facts: before the request"
    FACTS_DURING = "facts: request under way"
    FACTS_REPLIED = "facts: replied, not kept"
    FACTS_KEPT = "facts: kept"
    EPISODE_BEFORE = "episode: before the request"
    EPISODE_DURING = "episode: request under way"
    EPISODE_REPLIED = "episode: replied, not kept"
    EPISODE_KEPT = "episode: kept"
    EMBED = "embedding of what is stored"
    PERSIST_BEGUN = "persist: nothing written"
    PERSIST_ROWS = "persist: rows written, no audit"
    PERSIST_WRITTEN = "persist: all written, not committed"
    PERSISTED = "persist: committed, not marked done"
    DONE = "marked done, job still there"
    FAILED = "attempt failed, retry not noted"
    RESCUE = "job of a dead worker given back"
    START = "start: tables half made"
    IDLE = "idle"


WITHOUT_JOB = frozenset({Point.ACCEPT_OPEN, Point.ACCEPTED, Point.START, Point.IDLE})
"""Where no job was taken yet, or nobody knows by whom."""
ACCEPTING = frozenset({Point.ACCEPT_OPEN, Point.ACCEPTED})
AT_THE_MODEL = {Point.FACTS_DURING: FACTS, Point.EPISODE_DURING: EPISODE}
"""Where the model holds the answer back, and not the child."""

_STORING = (
    Point.EMBED,
    Point.PERSIST_BEGUN,
    Point.PERSIST_ROWS,
    Point.PERSIST_WRITTEN,
    Point.PERSISTED,
    Point.DONE,
)


def kept_at(point: Point) -> frozenset[str]:
    """Return for what the model is not asked again, since its reply was kept when the kill came."""
    if point in _STORING:
        return frozenset({FACTS, EPISODE})
    return frozenset({FACTS} if point is Point.FACTS_KEPT else {EPISODE} if point is Point.EPISODE_KEPT else ())


class Victim(StrEnum):
    """What is killed: a process that accepts and saves, one that only saves, or the database server."""

    PROCESS = "process"
    WORKER = "worker"
    POSTGRES = "Postgres"


@dataclass(frozen=True, slots=True)
class Round:
    """One kill."""

    point: Point
    victim: Victim
    grown: bool
    """Whether it comes in the save of a session that was stored before and went on."""

"""The names of spans, attributes and metrics, and what each means; the reference is made from these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

NAME = "twofold"

Attributes: TypeAlias = Mapping[str, str | int | bool]
Outcome: TypeAlias = Literal[
    "accepted", "unchanged", "stored", "given_up", "answered", "timed_out", "failed", "cancelled"
]

ERROR_TYPE = "error.type"
OUTCOME = "twofold.outcome"
ATTEMPT = "twofold.attempt"
ENTRIES = "twofold.entries"
ACTION = "twofold.action"
KIND = "twofold.kind"
PART = "twofold.part"
ATTRIBUTES = {
    ERROR_TYPE: "the class of the error, on what failed",
    OUTCOME: "what an accept or an attempt to save came to",
    ATTEMPT: "the number of the attempt to save, from 1",
    ENTRIES: "entries of the session that was handed over",
    "twofold.turns": "turns of the session",
    "twofold.turns.unseen": "those of them that were not extracted before",
    "twofold.episode": "whether the session has an episode",
    "twofold.skipped": "whether there was too little to remember",
    "twofold.changes.add": "memories that were added",
    "twofold.changes.update": "memories that were updated",
    "twofold.changes.delete": "memories that were deleted",
    "twofold.changes.noop": "memories that got a source more and no new words",
    "twofold.found.facts": "facts found",
    "twofold.found.episodes": "episodes found",
    "twofold.recalled.facts": "facts recalled",
    "twofold.recalled.episodes": "episodes recalled",
}
"""What spans hold. A node's are on its own span and on that of its run."""
SPANS = {
    "memory_accept": "a session is accepted",
    "memory_save": "an attempt to save a session: a trace of its own, since it belongs to no request",
    "memory_write": "a run of the write graph, within a `memory_save` or, on a LangGraph server, a run of its own",
    "memory_read": "a run of the read graph: a search",
}
"""The spans, but for those of the nodes, `<graph>.<node>`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric as the documentation tells it."""

    name: str
    kind: Literal["histogram", "counter", "gauge"]
    unit: str
    means: str
    attributes: tuple[str, ...] = ()


ACCEPTS = Metric(
    name="twofold.accept.duration",
    kind="histogram",
    unit="s",
    means="How long it took to accept a session.",
    attributes=(f"{OUTCOME}: accepted, unchanged, failed, cancelled", ERROR_TYPE),
)
SAVES = Metric(
    name="twofold.save.duration",
    kind="histogram",
    unit="s",
    means="How long an attempt to save a session took; its count is that of the attempts.",
    attributes=(f"{OUTCOME}: stored, failed, given_up, cancelled", ERROR_TYPE),
)
SEARCHES = Metric(
    name="twofold.search.duration",
    kind="histogram",
    unit="s",
    means="How long an agent, or who asked over HTTP, waited for a search.",
    attributes=(f"{OUTCOME}: answered, timed_out, failed, cancelled", ERROR_TYPE),
)
CHANGES = Metric(
    name="twofold.memories.changed",
    kind="counter",
    unit="{memory}",
    means="Memories that saves changed; NOOP is one whose text was there and that got a source more.",
    attributes=(f"{ACTION}: ADD, UPDATE, DELETE, NOOP", f"{KIND}: semantic, episodic"),
)
FAILURES = Metric(
    name="twofold.extractions.failed",
    kind="counter",
    unit="{extraction}",
    means="Parts of a session that a model could not extract.",
    attributes=(f"{PART}: semantic, episodic",),
)
WAITING = Metric(
    name="twofold.sessions.waiting",
    kind="gauge",
    unit="{session}",
    means="Accepted sessions that are not stored yet.",
)
GIVEN_UP = Metric(
    name="twofold.sessions.given_up",
    kind="gauge",
    unit="{session}",
    means="Accepted sessions whose save was given up: dead letters.",
)
OLDEST = Metric(
    name="twofold.sessions.oldest.age",
    kind="gauge",
    unit="s",
    means="How long the oldest of those that wait has waited.",
)
METRICS = (ACCEPTS, SAVES, SEARCHES, CHANGES, FAILURES, WAITING, GIVEN_UP, OLDEST)

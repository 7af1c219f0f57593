"""Turns, known facts and episodes for tests of models."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from twofold.memory.memories import Memory
from twofold.memory.narrative import narrative_of
from twofold.memory.outcome import episode_outcome, run_outcome
from twofold.memory.steps import Episode, Role, Run, Step, StepOutcome, Turn

NOON = datetime(2026, 10, 1, 12, tzinfo=UTC)


def turn(text: str, *, event_id: str = "v1", role: Role = "user", context: bool = False) -> Turn:
    """Return one turn, said at noon."""
    return Turn(event_id=event_id, role=role, text=text, at=NOON, context=context)


def said(*texts: str) -> list[Turn]:
    """Return user turns with the events v1, v2 and so on."""
    return [turn(text, event_id=f"v{number}") for number, text in enumerate(texts, start=1)]


def known(*texts: str) -> list[Memory]:
    """Return known facts with the keys k1, k2 and so on."""
    return [
        Memory(
            key=f"k{number}",
            kind="semantic",
            text=text,
            content={"content": text},
            sources=(),
            rev=1,
            created_at=NOON,
            updated_at=NOON,
        )
        for number, text in enumerate(texts, start=1)
    ]


def step(tool: str, outcome: StepOutcome = "SUCCESS", reason: str = "", **args: str) -> Step:
    """Return one step that took a second."""
    return Step(
        tool=tool,
        args=args,
        outcome=outcome,
        reason=reason,
        started_at=NOON,
        seconds=1.0,
        event_ids=(f"{tool}-{len(reason)}-{outcome}",),
    )


def run(*steps: Step, request: str = "Close March for company 1010", error: str = "") -> Run:
    """Return a run of these steps, its outcome worked out from them."""
    return Run(
        request=request,
        steps=steps,
        outcome=run_outcome(steps, error=error),
        failure=error,
        started_at=NOON,
        ended_at=NOON + timedelta(minutes=1),
        event_ids=("v1",),
    )


def episode(*steps: Step, runs: Sequence[Run] = ()) -> Episode:
    """Return an episode of one run of these steps, or of these runs."""
    runs = tuple(runs) or (run(*steps),)
    return Episode(
        session_id="s1",
        runs=runs,
        outcome=episode_outcome(runs),
        workflow="close",
        narrative=narrative_of(runs),
        event_ids=("v1",),
        started_at=NOON,
        ended_at=NOON + timedelta(minutes=1),
    )


SUCCESS = episode(step("close_period", ledger="US_PRIMARY", period="2026-03"))
FAILURE = episode(
    step("check_ledger", ledger="US_PRIMARY"),
    step("close_period", "FAILURE", "open subledgers exist", period="2026-03"),
)
PENDING = episode(step("close_period", "PENDING", "confirmation", period="2026-03"))
PARTIAL = episode(
    step("post_journal", "FAILURE", "period is closed", journal="J-77"), step("close_period", period="2026-03")
)
RECOVERED = episode(
    step("close_period", "FAILURE", "open subledgers exist", period="2026-03"), step("close_period", period="2026-03")
)

"""A transcript taken apart into what was said and what was done."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from itertools import chain

from twofold.memory.framework import FRAMEWORK_CALLS
from twofold.memory.narrative import narrative_of
from twofold.memory.outcome import episode_outcome
from twofold.memory.pairing import steps_of
from twofold.memory.rewinds import after_rewinds
from twofold.memory.runs import runs_of
from twofold.memory.steps import Episode, Run, SplitSession
from twofold.memory.transcript import Transcript, without_noise
from twofold.memory.turns import turns_of
from twofold.memory.workflow import workflow_of


def split(transcript: Transcript, *, framework: AbstractSet[str] = FRAMEWORK_CALLS) -> SplitSession:
    """Return the turns of a session and its episode, None unless a tool was called.

    What was rewound, partial or a thought is left out of both, calls of `framework` out of the episode.
    """
    entries = after_rewinds(without_noise(transcript.entries))
    runs = runs_of(entries, steps_of(entries, framework=framework))
    return SplitSession(turns=turns_of(entries), episode=episode_of(transcript.session_id, runs))


def episode_of(session_id: str, runs: tuple[Run, ...]) -> Episode | None:
    """Return the episode of these runs, None if no tool was called in any of them."""
    steps = tuple(chain.from_iterable(run.steps for run in runs))
    if not steps:
        return None
    return Episode(
        session_id=session_id,
        runs=runs,
        outcome=episode_outcome(runs),
        workflow=workflow_of(steps),
        narrative=narrative_of(runs),
        event_ids=tuple(dict.fromkeys(chain.from_iterable(run.event_ids for run in runs))),
        started_at=min(run.started_at for run in runs),
        ended_at=max(run.ended_at for run in runs),
    )

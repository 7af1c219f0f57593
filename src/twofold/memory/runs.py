"""Runs: the steps that serve one request of the user, across confirmations and resumes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from twofold.memory.outcome import run_outcome, unsettled
from twofold.memory.pairing import error_text
from twofold.memory.steps import Run, Step
from twofold.memory.transcript import Entry
from twofold.memory.turns import turns_of
from twofold.memory.wording import one_line

_LONGEST_REQUEST = 600
_TEXTS_OF_REQUEST = 3
_ANSWERS = frozenset({"returned", "confirmed", "answered"})


@dataclass(slots=True)
class _Stretch:
    """The entries from one request of the user up to the next."""

    entries: list[Entry] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        said = (entry for entry in self.entries if entry.kind == "said" and entry.by_user)
        return [turn.text for turn in turns_of(said)]

    @property
    def error(self) -> str:
        """The error that ended it: nothing followed."""
        last = self.entries[-1] if self.entries else None
        return error_text(last) if last is not None and last.kind == "failed" else ""

    @property
    def asks_back(self) -> bool:
        said = [entry.text for entry in self.entries if entry.kind == "said" and not entry.by_user]
        return bool(said) and "?" in said[-1]


def runs_of(entries: Iterable[Entry], steps: Sequence[Step]) -> tuple[Run, ...]:
    """Return the runs, in the order of their requests: what has steps, or was ended by an error.

    A text of the user starts a request. An invocation without one (a confirmation, the result of a
    long-running tool, a form) goes on with the run it answers, else with the run before. Where the agent
    asked back before it did anything, the request is what the user said before and after: "Close the books /
    US Primary".
    """
    by_event = _steps_by_event(steps)
    runs: list[Run] = []
    said_before: list[str] = []
    for stretch in _stretches(entries):
        its_steps = tuple(step for event in _events(stretch.entries) for step in by_event.pop(event, ()))
        texts = [*said_before, *stretch.texts][-_TEXTS_OF_REQUEST:]
        if its_steps or stretch.error:
            runs.append(_run(" / ".join(texts), its_steps, stretch))
            said_before = []
        else:
            said_before = texts if stretch.asks_back else []
    return tuple(runs)


def _stretches(entries: Iterable[Entry]) -> list[_Stretch]:
    stretches: list[_Stretch] = []
    of_invocation: dict[str, _Stretch] = {}
    of_call: dict[str, _Stretch] = {}
    last_of: dict[str, Entry] = {}
    for entry in entries:
        invocation = entry.invocation_id
        if not stretches or _starts_request(entry, last_of.get(invocation)):
            stretches.append(_Stretch())
            of_invocation[invocation] = stretches[-1]
        elif entry.by_user and entry.kind in _ANSWERS and entry.call_id in of_call:
            of_invocation[invocation] = of_call[entry.call_id]
        stretch = of_invocation.setdefault(invocation, stretches[-1])
        stretch.entries.append(entry)
        if entry.kind == "called" and entry.call_id:
            of_call[entry.call_id] = stretch
        last_of[invocation] = entry
    return stretches


def _starts_request(entry: Entry, before: Entry | None) -> bool:
    """Whether the user says something new; further parts of one message do not start another request."""
    if entry.kind != "said" or not entry.by_user:
        return False
    return before is None or not (before.kind == "said" and before.by_user)


def _run(request: str, steps: tuple[Step, ...], stretch: _Stretch) -> Run:
    times = [entry.at for entry in stretch.entries]
    outcome = run_outcome(steps, error=stretch.error)
    return Run(
        request=one_line(request, _LONGEST_REQUEST),
        steps=steps,
        outcome=outcome,
        failure=_failure(steps, stretch.error),
        started_at=min(times),
        ended_at=max(times),
        event_ids=_events(stretch.entries),
    )


def _failure(steps: Sequence[Step], error: str) -> str:
    """Return why a run failed: the error that ended it, with the tool that raised it, or its last failure."""
    failed = [step for step in unsettled(steps) if step.outcome == "FAILURE"]
    if error:
        failed = [step for step in failed if step.reason == error]
    return f"{failed[-1].tool}: {failed[-1].reason}" if failed else error


def _events(entries: Iterable[Entry]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(entry.event_id for entry in entries))


def _steps_by_event(steps: Iterable[Step]) -> dict[str, list[Step]]:
    by_event: dict[str, list[Step]] = {}
    for step in steps:
        by_event.setdefault(step.event_ids[0], []).append(step)
    return by_event

"""The episode as one text, for people, models and embedders: request, steps, result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from twofold.memory.jsontypes import Json
from twofold.memory.outcome import unsettled
from twofold.memory.steps import Run, Step
from twofold.memory.wording import clamped, compact, one_line

_LONGEST_VALUE = 120
_LONGEST_LINE = 400
_MOST_STEPS = 60
_FIRST_STEPS = 40


def narrative_of(runs: Iterable[Run]) -> str:
    """Return the runs in order, each as its request, a line for each step, and its result.

    ```
    Request: Close February
    close_period(ledger="US_PRIMARY", period="2026-02") → FAILURE: 3 open journals
    Result: failure. 0 of 1 steps succeeded. close_period: 3 open journals
    ```
    Arguments are sorted, long values and lines cut, and of a very long run the middle is left out.
    """
    return "\n\n".join(_told(run) for run in runs)


def result_of(run: Run) -> str:
    """Return how a run ended, in plain words: outcome, how many steps succeeded, why it failed or waits."""
    succeeded = sum(step.outcome == "SUCCESS" for step in run.steps)
    counts = f"{succeeded} of {len(run.steps)} steps succeeded." if run.steps else "No tool was called."
    return " ".join(filter(None, (f"{run.outcome}.", counts, _made_good(run), _why(run))))


def step_line(step: Step) -> str:
    """Return a step in one line: `tool(arg="value", …) → OUTCOME: reason`."""
    reason = f": {one_line(step.reason, _LONGEST_LINE // 2)}" if step.reason else ""
    ending = f") → {step.outcome}{reason}"
    return clamped(f"{step.tool}({_arguments(step.args)}", _LONGEST_LINE - len(ending)) + ending


def _told(run: Run) -> str:
    request = (f"Request: {run.request}",) if run.request else ()
    return "\n".join((*request, *_lines(run.steps), f"Result: {result_of(run)}"))


def _lines(steps: Sequence[Step]) -> list[str]:
    lines = [step_line(step) for step in steps]
    if len(lines) <= _MOST_STEPS:
        return lines
    end = len(lines) - (_MOST_STEPS - _FIRST_STEPS)
    return [*lines[:_FIRST_STEPS], f"… {end - _FIRST_STEPS} more steps …", *lines[end:]]


def _arguments(args: Json) -> str:
    if args is None:
        return ""
    if not isinstance(args, Mapping):
        return clamped(compact(args), _LONGEST_VALUE)
    shown = {name: clamped(compact(args[name]), _LONGEST_VALUE) for name in sorted(args)}
    return ", ".join(f"{name}={value}" for name, value in shown.items())


def _made_good(run: Run) -> str:
    failed = sum(step.outcome == "FAILURE" for step in run.steps)
    left = sum(step.outcome == "FAILURE" for step in unsettled(run.steps))
    return f"Repeated with success after failing: {failed - left}." if failed > left else ""


def _why(run: Run) -> str:
    open_steps = [f"{step.tool}: {step.reason}" for step in unsettled(run.steps) if step.outcome != "FAILURE"]
    return "; ".join(dict.fromkeys(filter(None, (run.failure, *open_steps))))

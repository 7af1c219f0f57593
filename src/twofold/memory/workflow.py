"""What makes two runs comparable."""

from __future__ import annotations

from collections.abc import Iterable

from twofold.memory.steps import Step
from twofold.memory.wording import one_line

_LONGEST_NAME = 120


def workflow_of(steps: Iterable[Step]) -> str:
    """Return the name of the workflow: its tools in the order they were first called.

    Repeated calls do not change it. Empty without steps.
    """
    return one_line(" → ".join(dict.fromkeys(step.tool for step in steps)), _LONGEST_NAME)

"""Schemathesis' command line, run as a process of its own by the test beside it."""

import sys
from collections.abc import Iterator
from typing import Any

from hypothesis.internal.conjecture import utils
from schemathesis.cli import schemathesis


def more(self: Any) -> bool:
    """Whether to draw one more element: what hypothesis-jsonschema 0.23 asks, and newer Hypothesis has no more."""
    elements: Iterator[None] | None = vars(self).get("elements")
    if elements is None:
        elements = self.elements = iter(self.__enter__())
    try:
        next(elements)
    except StopIteration:
        self.__exit__(None)
        return False
    return True


if __name__ == "__main__":
    if not hasattr(utils.many, "more"):
        utils.many.more = more  # type: ignore[attr-defined]
    sys.exit(schemathesis())

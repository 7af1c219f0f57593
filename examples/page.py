"""Plain output for the demo: short headings, wrapped lines, no noise from libraries."""

from __future__ import annotations

import logging
import textwrap
import time
import warnings

WIDTH = 100


def quiet() -> None:
    """Let warnings of libraries pass unseen; twofold's own are shown."""
    warnings.simplefilter("ignore")
    logging.basicConfig(level=logging.CRITICAL, format="%(message)s")
    logging.getLogger("twofold").setLevel(logging.WARNING)


def passed(began: float) -> str:
    """Return how long ago `began` is, a reading of `time.perf_counter`."""
    return f"{time.perf_counter() - began:.1f} s"


def heading(text: str) -> None:
    """Print a heading."""
    print(f"\n{text}\n{'-' * len(text)}")


def paragraph(text: str) -> None:
    """Print text, wrapped."""
    print(textwrap.fill(text, WIDTH))


def row(label: str, text: str, *, width: int = 9) -> None:
    """Print a label and its text beside it, wrapped."""
    indent = " " * (width + 1)
    print(textwrap.fill(text, WIDTH, initial_indent=f"{label:<{width}} ", subsequent_indent=indent))


def block(text: str) -> None:
    """Print text behind a bar, its lines kept and long ones wrapped."""
    for line in text.splitlines():
        lead = line[: len(line) - len(line.lstrip())]
        wrapped = textwrap.fill(line.strip(), WIDTH - 4, initial_indent=lead, subsequent_indent=f"{lead}    ")
        print(textwrap.indent(wrapped, "  | ", lambda _: True))

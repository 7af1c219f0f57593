"""How the demo is printed: short headings, wrapped lines, and a sign of life on a terminal while it works."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

MOST_COLUMNS = 100

_console = Console(highlight=False, soft_wrap=True)


def _width() -> int:
    """Return how wide a line may be: as the terminal, but no wider than is read well."""
    return min(_console.width, MOST_COLUMNS) if _console.is_terminal else MOST_COLUMNS


def passed(began: float) -> str:
    """Return how long ago `began` is, a reading of `time.perf_counter`."""
    return f"{time.perf_counter() - began:.1f} s"


@contextmanager
def working(on: str) -> Iterator[None]:
    """Show what is being worked on, on a terminal only."""
    with _console.status(Text(on)):
        yield


def heading(text: str) -> None:
    """Print a heading."""
    _console.print(Text(f"\n{text}\n{'-' * len(text)}", style="bold"))


def paragraph(text: str) -> None:
    """Print text, wrapped."""
    _print(textwrap.fill(text, _width()))


def row(label: str, text: str, *, width: int = 9) -> None:
    """Print a label and its text beside it, wrapped."""
    indent = " " * (width + 1)
    _print(textwrap.fill(text, _width(), initial_indent=f"{label:<{width}} ", subsequent_indent=indent))


def block(text: str) -> None:
    """Print text behind a bar, its lines kept and long ones wrapped."""
    for line in text.splitlines():
        lead = line[: len(line) - len(line.lstrip())]
        wrapped = textwrap.fill(line.strip(), _width() - 4, initial_indent=lead, subsequent_indent=f"{lead}    ")
        _print(textwrap.indent(wrapped, "  | ", lambda _: True))


def _print(text: str) -> None:
    _console.print(Text(text))

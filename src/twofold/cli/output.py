"""What the commands print: tables on a terminal, tab-separated lines in a pipe, one JSON document on request.

Results go to stdout, everything said about them to stderr.
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from rich import box
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from pydantic import BaseModel

# What a terminal could take for a command, and what no encoding has; a line break and a tab are text.
_UNSHOWABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_UNWRITABLE = re.compile("[\x7f-\x9f\ud800-\udfff]")  # JSON escapes the others itself
_REPLACEMENT = "\ufffd"
_SHORT = 8
# How a word stands out that is the whole cell.
_STYLES = {
    **dict.fromkeys(("ok", "SUCCESS"), "green"),
    **dict.fromkeys(("warning", "waiting", "running", "PENDING", "UNKNOWN"), "yellow"),
    **dict.fromkeys(("problem", "failed", "FAILURE"), "bold red"),
}


Cell: TypeAlias = str | datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Rows to print, their times in UTC.

    `texts` are the columns of long text, of which a terminal shows the first line; `keys` those of which it
    shows the beginning.
    """

    columns: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    texts: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()


def make_safe() -> None:
    """Have what the encoding of stdout and stderr lacks printed as a question mark, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def shown(text: str) -> str:
    """Return a text as a terminal may see it: what was remembered must not move its cursor."""
    return _UNSHOWABLE.sub(_REPLACEMENT, text)


def when(time: datetime | None) -> str:
    """Return a time in ISO 8601, to the second and in UTC; nothing for none."""
    return "" if time is None else time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def short(time: datetime | None) -> str:
    """Return a time to the minute and in UTC, as it stands on a terminal; nothing for none."""
    return "" if time is None else time.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def many(number: int, thing: str) -> str:
    """Return a number of things in words."""
    return (
        f"{number} {thing}"
        if number == 1
        else f"{number} {thing.removesuffix('y')}{'ies' if thing[-1] == 'y' else 's'}"
    )


def said(text: str) -> None:
    """Say something about the result, in one line on stderr."""
    line = " ".join(shown(text).split())
    Console(stderr=True, highlight=False, soft_wrap=True).print(Text(line))


def print_text(text: str, *, style: str = "") -> None:
    """Print a text as it is."""
    Console(highlight=False, soft_wrap=True).print(Text(shown(text), style=style))


def print_document(document: BaseModel | dict[str, Any] | None) -> None:
    """Print one JSON document, times in ISO 8601."""
    plain = document if document is None or isinstance(document, dict) else document.model_dump(mode="json")
    sys.stdout.write(f"{json_text(plain, indent=2)}\n")


def json_text(value: Any, *, indent: int | None = None) -> str:
    """Return a value as JSON that a person can read and any encoding of Unicode can hold."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=str)
    return _UNWRITABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def print_listing(listing: Listing, *, to_stderr: bool = False) -> None:
    """Print rows as a table on a terminal, else a line each, its fields separated by tabs and nothing cut."""
    console = Console(stderr=to_stderr, highlight=False)
    if console.is_terminal:
        if listing.rows:
            console.print(_table(listing))
        return
    stream = sys.stderr if to_stderr else sys.stdout
    for row in listing.rows:
        stream.write("\t".join(_in_one_line(cell) for cell in row) + "\n")


def is_terminal() -> bool:
    """Whether results are printed on a terminal."""
    return Console().is_terminal


@contextmanager
def working(on: str) -> Iterator[Callable[[str], None]]:
    """Show on a terminal what takes a while; call what this lends with what it is at now."""
    with Console(stderr=True, highlight=False).status(Text(on)) as status:
        yield lambda now: status.update(Text(now))


@contextmanager
def counting(what: str, *, enabled: bool) -> Iterator[Callable[[int], None]]:
    """Show on a terminal how many are done; call what this lends with the number."""
    console = Console(stderr=True, highlight=False)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not (enabled and console.is_terminal)) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done: progress.update(task, completed=done)


def _table(listing: Listing) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for number, column in enumerate(listing.columns):
        whole = column in listing.keys or isinstance(listing.rows[0][number], datetime)
        table.add_column(column, overflow="fold", no_wrap=whole, ratio=1 if column in listing.texts else None)
    for row in listing.rows:
        table.add_row(*(_cell(listing, column, cell) for column, cell in zip(listing.columns, row, strict=True)))
    return table


def _cell(listing: Listing, column: str, cell: Cell) -> Text:
    if not isinstance(cell, str):
        return Text(short(cell))
    if column in listing.keys:
        return Text(shown(cell)[:_SHORT])
    first, _, more = shown(cell).partition("\n")
    return Text(f"{first} …" if more and column in listing.texts else shown(cell), style=_STYLES.get(cell, ""))


def _in_one_line(cell: Cell) -> str:
    return " ".join(shown(cell).split()) if isinstance(cell, str) else when(cell)

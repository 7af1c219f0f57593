"""How far a backfill is, on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from twofold.adk.backfill import Tally


@contextmanager
def told_progress(total: int, *, saves: bool) -> Iterator[Callable[[Tally], None]]:
    """Show bars of the sessions read, of `total`, and of those saved; call what this lends with the tally."""
    console = Console(stderr=True, highlight=False)
    columns = (
        TextColumn("{task.description:>8}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        reading = progress.add_task("accepted" if saves else "read", total=total, note="")
        saving = progress.add_task("saved", total=0, note="") if saves else None

        def tell(tally: Tally) -> None:
            left_out = tally.refused + tally.empty
            progress.update(reading, completed=tally.sessions, note=f"{left_out} left out" if left_out else "")
            if saving is not None:
                ended = tally.saved + tally.failed
                note = f"{tally.failed} failed" if tally.failed else ""
                progress.update(saving, completed=ended, total=ended + tally.waiting, note=note)

        yield tell

"""One memory in full: its words, what it rests on and, of an episode, its runs step by step."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from twofold.cli.output import Cell, Listing, many, print_listing, print_text, when
from twofold.memory.keys import body_id, url_key

if TYPE_CHECKING:
    from twofold.memory.memories import Memory

_STEP = ("outcome", "tool", "arguments", "seconds", "reason")
_SOURCE = ("at", "session", "origin", "events")


def print_memory(memory: Memory) -> None:
    """Print one memory."""
    print_text(f"{memory.kind} {url_key(memory.key)}", style="bold")
    worded = many(memory.rev, "time")
    print_text(f"of {when(memory.updated_at)}, stored {when(memory.created_at)}, worded {worded}")
    print_text(f"\n{memory.text}\n")
    for run in _mappings(memory.content.get("runs")):
        _print_run(run)
    print_text("Rests on", style="bold")
    rows: list[tuple[Cell, ...]] = [
        (source.at, body_id(source.session_id), source.origin, str(len(source.event_ids))) for source in memory.sources
    ]
    print_listing(Listing(columns=_SOURCE, rows=rows))


def _print_run(run: Mapping[str, Any]) -> None:
    print_text(f"{run.get('request') or 'Run'}: {run.get('outcome', '')}", style="bold")
    rows: list[tuple[Cell, ...]] = [
        (
            str(step.get("outcome", "")),
            str(step.get("tool", "")),
            json.dumps(step.get("args"), ensure_ascii=False),
            "" if step.get("seconds") is None else f"{step['seconds']:.1f}",
            str(step.get("reason", "")),
        )
        for step in _mappings(run.get("steps"))
    ]
    print_listing(Listing(columns=_STEP, rows=rows, texts=frozenset({"arguments", "reason"})))
    print_text("")


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    """Return the objects of a list; a row that stock code wrote may hold anything."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list | tuple) else []

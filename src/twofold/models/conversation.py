"""A conversation as the model reads it: one line a turn, and nothing in it that could pose as another."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from twofold.memory.chunks import AGENT_BYTES, unseen
from twofold.memory.fence import fenced
from twofold.memory.pieces import shortened
from twofold.memory.steps import Turn
from twofold.memory.support import Line

_BANNER = re.compile(r"={4,}")
_STAMP = re.compile(r"\[(\s*(?:[em]\d{1,6}\s+)?\d{4}-\d\d-\d\d[^\[\]\n]{0,40})\](?=\s*\w{1,12}\s*:)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Turns as the model sees them, and the line of the user behind each short id."""

    text: str
    lines: Mapping[str, Line]

    def cited(self, ids: Sequence[str]) -> tuple[Line, ...]:
        """Return the lines behind those of `ids` that exist, each once."""
        return tuple(self.lines[each] for each in dict.fromkeys(ids) if each in self.lines)


def render(turns: Sequence[Turn]) -> Conversation:
    """Show each unseen turn as `[e1 2026-10-01 12:00] user: …`.

    Only turns of the user get an id and can be a source; the pieces of a long one share it. An agent's turn of
    over 1,200 bytes shows its beginning, its end, and how much is left out: no fact comes from it.
    """
    shown: list[str] = []
    ids: dict[str, str] = {}
    lines: dict[str, Line] = {}
    asked = ""
    for turn in unseen(turns):
        mark, text = "", turn.text
        if turn.role == "user":
            mark = ids.setdefault(turn.event_id, f"e{len(ids) + 1}")
            said = Line(event_id=turn.event_id, text=text, asked=asked, year=turn.at.year)
            lines[mark] = replace(lines[mark], text=lines[mark].text + text) if mark in lines else said
            asked, mark = "", f"{mark} "
        else:
            asked, text = f"{asked}\n{text}".lstrip("\n"), shortened(text, AGENT_BYTES)
        shown.append(f"[{mark}{turn.at:%Y-%m-%d %H:%M}] {turn.role}: {_indented(text)}")
    return Conversation(text="\n".join(shown), lines=lines)


def harmless(text: str) -> str:
    """Return `text` without what LangMem's prompt is made of: tags, banners, and the stamps of our own lines."""
    return _STAMP.sub(r"(\1)", _BANNER.sub("===", fenced(text)))


def one_line(text: str) -> str:
    """Return `text` with each run of white space as one blank."""
    return " ".join(text.split())


def _indented(text: str) -> str:
    # No line of a turn begins where the lines of other turns begin.
    return "\n    ".join(harmless(text.strip()).splitlines())

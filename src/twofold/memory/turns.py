"""What was said: the texts of a session, and the answers to its forms, as turns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from twofold.memory.answers import form_text
from twofold.memory.framework import REQUEST_INPUT
from twofold.memory.steps import Role, Turn
from twofold.memory.transcript import Entry


def turns_of(entries: Iterable[Entry]) -> tuple[Turn, ...]:
    """Return the turns in order, one for each event and side.

    The parts of one message are one turn, as are the pieces of a live transcription up to its end. The
    answer to a form is a turn of the user, as it states what the user wants.
    """
    entries = tuple(entries)
    forms = {e.call_id: e.payload for e in entries if e.kind == "called" and e.tool == REQUEST_INPUT}
    turns: list[Turn] = []
    before: Entry | None = None
    for entry in entries:
        if entry.kind == "answered":
            text = form_text(entry.payload, forms.get(entry.call_id))
            turns.append(_turn(replace(entry, author="user", text=text)))
        elif entry.kind == "said":
            joint = _joint(before, entry)
            if joint is None:
                turns.append(_turn(entry))
            else:
                turns[-1] = replace(turns[-1], text=turns[-1].text + joint + entry.text)
            before = entry
            continue
        before = None
    return tuple(replace(turn, text=turn.text.strip()) for turn in turns if turn.text.strip())


def _turn(entry: Entry) -> Turn:
    role: Role = "user" if entry.by_user else "agent"
    return Turn(event_id=entry.event_id, role=role, text=entry.text, at=entry.at)


def _joint(before: Entry | None, entry: Entry) -> str | None:
    """Return what joins an entry to the one before: nothing in a transcription, a new line in a message."""
    if before is None or before.author != entry.author:
        return None
    if before.chunk:
        return ""
    return "\n" if before.event_id == entry.event_id else None

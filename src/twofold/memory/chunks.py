"""What of a conversation is sent to an extractor, and how a long one is cut: on turn boundaries, never silently."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from typing import TypeAlias

from twofold.memory.errors import InvalidInput
from twofold.memory.memories import FactChange, Memory
from twofold.memory.pieces import pieces, shown_bytes
from twofold.memory.steps import Turn

CHUNK_BYTES = 20_000
"""What one request holds of a conversation: with 6,000 bytes of known facts, our instructions and 4,000 tokens for
the reply it fits a context of 16,000 tokens, at three bytes a token."""
TURN_BYTES = 12_000
"""A longer turn of the user is read in pieces of this size, each of them under the event's id."""
AGENT_BYTES = 1_200
AGENT_TURNS = 4
"""Of what the agent says, the last four turns before each turn of the user are sent, each shortened visibly: they
only explain short answers, and nothing becomes a fact by them."""
MOST_CHUNKS = 100
"""Requests for one save, so at most 2,000,000 bytes that were not seen before, and 1,200,000 where turns are long; a
session with more is refused, and none of it is stored."""

Exchange: TypeAlias = tuple[Turn, ...]
"""What the agent said last, and the user's answer to it, or a piece of it. Never split."""

_LINE_BYTES = 48
_PROVISIONAL = "added-"
_UNKNOWN = datetime.fromtimestamp(0, UTC)


def unseen(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the turns that a save sends and then notes as seen: the unseen ones up to the user's last.

    What the agent said after it waits for the user's next answer, without which it is of no use: so nothing is
    ever sent twice, and no answer goes without what it answers.
    """
    new = [turn for turn in turns if not turn.context]
    last = max((index for index, turn in enumerate(new) if turn.role == "user"), default=-1)
    return tuple(new[: last + 1])


def exchanges(turns: Sequence[Turn], *, turn_bytes: int = TURN_BYTES) -> tuple[Exchange, ...]:
    """Return the unseen turns as exchanges; a turn of the user that is longer than a piece makes several."""
    made: list[Exchange] = []
    spoken: list[Turn] = []
    for turn in unseen(turns):
        if turn.role == "user":
            for text in pieces(turn.text, turn_bytes):
                made.append((*spoken[-AGENT_TURNS:], replace(turn, text=text)))
                spoken = []
        else:
            spoken.append(turn)
    return tuple(made)


def packed(parts: Iterable[Exchange], *, chunk_bytes: int = CHUNK_BYTES) -> Iterator[tuple[Exchange, ...]]:
    """Yield the exchanges in groups of at most `chunk_bytes` as shown, in order."""
    group: list[Exchange] = []
    size = 0
    for part in parts:
        taken = sum(map(_taken, part))
        if group and size + taken > chunk_bytes:
            yield tuple(group)
            group, size = [], 0
        group.append(part)
        size += taken
    if group:
        yield tuple(group)


def chunks(
    turns: Sequence[Turn], *, chunk_bytes: int = CHUNK_BYTES, turn_bytes: int = TURN_BYTES
) -> Iterator[tuple[Turn, ...]]:
    """Yield what is sent of `turns`, request by request."""
    for group in packed(exchanges(turns, turn_bytes=turn_bytes), chunk_bytes=chunk_bytes):
        yield tuple(chain.from_iterable(group))


def refuse_too_long(session_id: str, turns: Sequence[Turn]) -> None:
    """Raise InvalidInput when what was not seen before takes more than the most requests of one save."""
    parts = exchanges(turns)
    taken = sum(1 for _ in packed(parts))
    if taken > MOST_CHUNKS:
        size = sum(shown_bytes(turn.text) for turn in chain(*parts))
        raise InvalidInput(
            f"turns: session {session_id!r} has {size:,} bytes that were not read before, which take {taken} requests;"
            f" the limit is {MOST_CHUNKS} of {CHUNK_BYTES:,} bytes. Nothing of it was stored: hand it over in sessions"
            " of less."
        )


def known_after(known: Sequence[Memory], changes: Sequence[FactChange]) -> tuple[Memory, ...]:
    """Return the facts as the next chunk has to see them: reworded, deleted and added by the chunks before.

    A fact that was added has a provisional key; `settled` understands what a later chunk does with it.
    """
    changed = {change.key: change for change in settled(changes) if change.key is not None}
    before = (
        replace(memory, text=changed[memory.key].text) if memory.key in changed else memory
        for memory in known
        if memory.key not in changed or changed[memory.key].action != "DELETE"
    )
    return (*before, *(_provisional(key, change) for key, change in _slots(changes).items() if change.action == "ADD"))


def settled(changes: Iterable[FactChange]) -> tuple[FactChange, ...]:
    """Return one change for each fact, the last one, resting on the events of all of them.

    A fact that was added and then reworded is added in its last words; one that was deleted again is left out.
    """
    return tuple(_slots(changes).values())


def _slots(changes: Iterable[FactChange]) -> dict[str, FactChange]:
    slots: dict[str, FactChange] = {}
    for position, change in enumerate(changes):
        key = f"{_PROVISIONAL}{position}" if change.key is None else change.key
        before = slots.pop(key, None)
        events = tuple(dict.fromkeys((*(before.event_ids if before else ()), *change.event_ids)))
        if before is None or before.action != "ADD":
            slots[key] = replace(change, event_ids=events)
        elif change.action != "DELETE":
            slots[key] = replace(before, text=change.text, event_ids=events)
    return slots


def _provisional(key: str, change: FactChange) -> Memory:
    return Memory(
        key=key,
        kind="semantic",
        text=change.text,
        content={},
        sources=(),
        rev=0,
        created_at=_UNKNOWN,
        updated_at=_UNKNOWN,
    )


def _taken(turn: Turn) -> int:
    size = shown_bytes(turn.text)
    return _LINE_BYTES + (size if turn.role == "user" else min(size, AGENT_BYTES + _LINE_BYTES))

"""How a long conversation is cut for an extractor: on turn boundaries, never silently."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from twofold.memory.memories import FactChange, Memory
from twofold.memory.steps import Turn

CONTEXT_TURNS = 4
CHUNK_CHARACTERS = 24_000
_PROVISIONAL = "added-"
_UNKNOWN = datetime.fromtimestamp(0, UTC)


def window(turns: Sequence[Turn], *, context: int = CONTEXT_TURNS) -> tuple[Turn, ...]:
    """Return the unseen turns, and before them the last few seen ones, without which short answers say nothing."""
    first = next((index for index, turn in enumerate(turns) if not turn.context), len(turns))
    return tuple(turns[max(0, first - context) :]) if first < len(turns) else ()


def chunks(turns: Sequence[Turn], *, characters: int = CHUNK_CHARACTERS) -> Iterator[tuple[Turn, ...]]:
    """Yield the turns in groups of at most `characters`; a turn longer than that is a group of its own.

    A group without an unseen user turn holds nothing to extract and is left out.
    """
    group: list[Turn] = []
    size = 0
    for turn in turns:
        if group and size + len(turn.text) > characters:
            yield from _worth_reading(group)
            group, size = [], 0
        group.append(turn)
        size += len(turn.text)
    yield from _worth_reading(group)


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


def _worth_reading(group: list[Turn]) -> Iterator[tuple[Turn, ...]]:
    if any(turn.role == "user" and not turn.context for turn in group):
        yield tuple(group)

"""How a long conversation is cut for an extractor: on turn boundaries, never silently."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from twofold.memory.memories import FactChange, Memory
from twofold.memory.steps import Turn

CONTEXT_TURNS = 4
CHUNK_CHARACTERS = 24_000


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


def known_after(known: Sequence[Memory], changes: Iterable[FactChange]) -> tuple[Memory, ...]:
    """Return the known facts as the next chunk has to see them: with the new words, without what was deleted."""
    by_key = {change.key: change for change in changes if change.key is not None}
    return tuple(
        replace(memory, text=by_key[memory.key].text) if memory.key in by_key else memory
        for memory in known
        if memory.key not in by_key or by_key[memory.key].action != "DELETE"
    )


def one_change_each(changes: Iterable[FactChange]) -> tuple[FactChange, ...]:
    """Return the changes with the last one of each known fact only, resting on the events of all of them."""
    settled: dict[object, FactChange] = {}
    for position, change in enumerate(changes):
        slot: object = position if change.key is None else change.key
        before = settled.pop(slot, None)
        events = before.event_ids if before else ()
        settled[slot] = replace(change, event_ids=tuple(dict.fromkeys((*events, *change.event_ids))))
    return tuple(settled.values())


def _worth_reading(group: list[Turn]) -> Iterator[tuple[Turn, ...]]:
    if any(turn.role == "user" and not turn.context for turn in group):
        yield tuple(group)

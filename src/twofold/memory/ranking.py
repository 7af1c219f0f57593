"""Which of the memories found are recalled, and in which order."""

from __future__ import annotations

from collections.abc import Iterable

from twofold.memory.memories import Memory, Recall

FACTS_FOUND = 12
EPISODES_FOUND = 8
FACTS_RECALLED = 6
EPISODES_RECALLED = 4


def recall_of(facts: Iterable[Memory], episodes: Iterable[Memory], *, floor: float | None = None) -> Recall:
    """Return the newest of what was found: at most 6 facts and 4 episodes.

    `floor` leaves out what is less similar than that (cosine, -1 to 1), but nothing that holds an identifier
    of the query.
    """
    return Recall(
        facts=_newest(facts, FACTS_RECALLED, floor),
        episodes=_newest(episodes, EPISODES_RECALLED, floor),
    )


def _newest(memories: Iterable[Memory], most: int, floor: float | None) -> tuple[Memory, ...]:
    near = (m for m in memories if floor is None or m.exact or m.score is None or m.score >= floor)
    # The key last makes equal times come in the same order each time: prompt caches depend on it.
    return tuple(sorted(near, key=lambda m: (m.updated_at, m.key), reverse=True)[:most])

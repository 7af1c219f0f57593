"""Step 5 of `memory_read`: the newest of what was found."""

from __future__ import annotations

from typing_extensions import TypedDict

from twofold.memory.ports import ReadPorts
from twofold.memory.ranking import recall_of
from twofold.nodes.plain import MEMORIES, plain, scope_of
from twofold.nodes.read.state import ReadState, RecallState


class Ranked(TypedDict):
    """The recall."""

    recall: RecallState


async def rank(state: ReadState, *, ports: ReadPorts) -> Ranked:
    """Order by time, newest first, keep 6 facts and 4 episodes; tell that this person's memory was used."""
    recall = recall_of(
        MEMORIES.validate_python(state["found_semantic"]),
        MEMORIES.validate_python(state["found_episodic"]),
        floor=ports.relevance_floor,
    )
    ports.recalled(scope_of(state["scope"]))
    return {"recall": {"facts": plain(MEMORIES, recall.facts), "episodes": plain(MEMORIES, recall.episodes)}}

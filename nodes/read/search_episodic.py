"""Step 4 of `memory_read`: the 8 episodes nearest to the query."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict

from twofold.memory.ports import ReadPorts
from twofold.memory.ranking import EPISODES_FOUND
from twofold.nodes.read.found import found
from twofold.nodes.read.state import ReadState


class FoundEpisodic(TypedDict):
    """The episodes found, most similar first."""

    found_episodic: list[dict[str, Any]]


async def search_episodic(state: ReadState, *, ports: ReadPorts) -> FoundEpisodic:
    """Find episodes by meaning and by exact identifier, within this person's scope only."""
    return {"found_episodic": await found(state, "episodic", EPISODES_FOUND, ports)}

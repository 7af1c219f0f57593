"""Step 4 of `memory_read`: the 12 facts nearest to the query."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict

from twofold.memory.ports import ReadPorts
from twofold.memory.ranking import FACTS_FOUND
from twofold.nodes.read.found import found
from twofold.nodes.read.state import ReadState


class FoundSemantic(TypedDict):
    """The facts found, most similar first."""

    found_semantic: list[dict[str, Any]]


async def search_semantic(state: ReadState, *, ports: ReadPorts) -> FoundSemantic:
    """Find facts by meaning and by exact identifier, within this person's scope only."""
    return {"found_semantic": await found(state, "semantic", FACTS_FOUND, ports)}

"""Step 3 of `memory_read`: the query becomes a vector, which the embedder remembers."""

from __future__ import annotations

from typing_extensions import TypedDict

from twofold.memory.ports import ReadPorts
from twofold.nodes.read.state import ReadState


class Embedded(TypedDict):
    """The query, unchanged: vectors do not belong in state or checkpoints."""

    query: str


async def embed(state: ReadState, *, ports: ReadPorts) -> Embedded:
    """Embed the query once for both searches; they ask the embedder again, which has it by then."""
    await ports.embedder.embed([state["query"]])
    return {"query": state["query"]}

"""The search that both kinds of memory share."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from twofold.memory.memories import Memory
from twofold.memory.ports import ReadPorts
from twofold.memory.scope import Kind
from twofold.nodes.plain import MEMORIES, plain, scope_of
from twofold.nodes.read.state import ReadState


async def found(state: ReadState, kind: Kind, limit: int, ports: ReadPorts) -> list[dict[str, Any]]:
    """Return at most `limit` memories of one kind as plain JSON, the most similar first."""
    (vector,) = await ports.embedder.embed([state["query"]])
    memories = await ports.memories.search(
        scope_of(state["scope"]),
        kind,
        query=state["query"],
        vector=vector,
        limit=limit,
        except_session=state.get("except_session"),
    )
    result: list[dict[str, Any]] = plain(MEMORIES, tuple(map(_light, memories)))
    return result


def _light(memory: Memory) -> Memory:
    """Leave the data of the steps in the store: the text tells them, and state is kept for each step of a thread."""
    return replace(memory, content={k: v for k, v in memory.content.items() if k not in {"runs", "narrative"}})

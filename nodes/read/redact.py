"""Step 2 of `memory_read`: no secret in a query reaches a model."""

from __future__ import annotations

import asyncio

from typing_extensions import TypedDict

from twofold.memory.ports import ReadPorts
from twofold.nodes.read.state import ReadState

_LONG = 2_000
"""Characters from which on a text is searched on a thread, so that nobody waits meanwhile."""


class Redacted(TypedDict):
    """The query without secrets."""

    query: str


async def redact(state: ReadState, *, ports: ReadPorts) -> Redacted:
    """Take the secrets out of the query, as the policy says for each kind."""
    query, text = state["query"], ports.redactor.text
    return {"query": await asyncio.to_thread(text, query) if len(query) > _LONG else text(query)}

"""Step 2 of `memory_read`: no secret in a query reaches a model."""

from __future__ import annotations

import asyncio

from typing_extensions import TypedDict

from twofold.memory.redaction import redact_text
from twofold.nodes.read.state import ReadState

_LONG = 2_000
"""Characters from which on a text is searched on a thread, so that nobody waits meanwhile."""


class Redacted(TypedDict):
    """The query without secrets."""

    query: str


async def redact(state: ReadState) -> Redacted:
    """Replace secrets in the query by a placeholder that names their kind."""
    query = state["query"]
    return {"query": await asyncio.to_thread(redact_text, query) if len(query) > _LONG else redact_text(query)}

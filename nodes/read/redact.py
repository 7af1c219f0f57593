"""Step 2 of `memory_read`: no secret in a query reaches a model."""

from __future__ import annotations

from typing_extensions import TypedDict

from twofold.memory.redaction import redact_text
from twofold.nodes.read.state import ReadState


class Redacted(TypedDict):
    """The query without secrets."""

    query: str


async def redact(state: ReadState) -> Redacted:
    """Replace secrets in the query by a placeholder that names their kind."""
    return {"query": redact_text(state["query"])}

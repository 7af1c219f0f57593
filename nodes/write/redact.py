"""Step 2 of `memory_write`: no secret goes further than this."""

from __future__ import annotations

import asyncio
from typing import Any

from typing_extensions import TypedDict

from twofold.memory.redaction import redact_entries
from twofold.nodes.plain import ENTRIES, plain
from twofold.nodes.write.state import EntryState, WriteState


class Redacted(TypedDict):
    """The entries without secrets."""

    entries: list[dict[str, Any]]


async def redact(state: WriteState) -> Redacted:
    """Replace secrets in texts, arguments, responses and answers by a placeholder that names their kind."""
    # On a thread: what tools returned may be large, and the loop has heartbeats to send.
    return {"entries": await asyncio.to_thread(_redacted, state["entries"])}


def _redacted(entries: list[EntryState]) -> list[dict[str, Any]]:
    redacted: list[dict[str, Any]] = plain(ENTRIES, redact_entries(ENTRIES.validate_python(entries)))
    return redacted

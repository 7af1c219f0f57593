"""Step 2 of `memory_write`: no secret goes further than this."""

from __future__ import annotations

import asyncio
from typing import Any

from typing_extensions import TypedDict

from twofold.memory.ports import WritePorts
from twofold.memory.redaction import Redactor
from twofold.nodes.plain import ENTRIES, plain
from twofold.nodes.write.state import EntryState, WriteState


class Redacted(TypedDict):
    """The entries without secrets."""

    entries: list[dict[str, Any]]


async def redact(state: WriteState, *, ports: WritePorts) -> Redacted:
    """Take the secrets out of texts, arguments, responses and answers, as the policy says for each kind."""
    # On a thread: what tools returned may be large, and the loop has heartbeats to send.
    return {"entries": await asyncio.to_thread(_redacted, state["entries"], ports.redactor)}


def _redacted(entries: list[EntryState], redactor: Redactor) -> list[dict[str, Any]]:
    redacted: list[dict[str, Any]] = plain(ENTRIES, redactor.entries(ENTRIES.validate_python(entries)))
    return redacted

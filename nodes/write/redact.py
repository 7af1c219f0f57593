"""Step 2 of `memory_write`: no secret goes further than this."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict

from twofold.memory.redaction import redact_entries
from twofold.nodes.plain import ENTRIES, plain
from twofold.nodes.write.state import WriteState


class Redacted(TypedDict):
    """The entries without secrets."""

    entries: list[dict[str, Any]]


async def redact(state: WriteState) -> Redacted:
    """Replace secrets in texts, arguments, responses and answers by a placeholder that names their kind."""
    entries = ENTRIES.validate_python(state["entries"])
    return {"entries": plain(ENTRIES, redact_entries(entries))}

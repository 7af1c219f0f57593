"""From a stored memory to ADK's MemoryEntry."""

from __future__ import annotations

from google.adk.memory.memory_entry import MemoryEntry
from google.genai import types

from twofold.memory.fence import fenced
from twofold.memory.memories import Memory, Source
from twofold.memory.scope import Kind

# Ten memories of this length are about 7,500 tokens.
MOST_CHARACTERS = 3_000

# ADK shows `{author}: {text}` to the model, so the author says what kind of memory it reads.
AUTHORS: dict[Kind, str] = {"semantic": "fact", "episodic": "episode"}


def entry_of(memory: Memory) -> MemoryEntry:
    """Return the entry a model is shown: one text part, the time of its newest event, its kind and source."""
    return MemoryEntry(
        id=memory.key,
        author=AUTHORS[memory.kind],
        timestamp=memory.updated_at.isoformat(timespec="seconds"),
        content=types.Content(role="user", parts=[types.Part(text=shown(memory))]),
        custom_metadata={"kind": memory.kind, "source": [_source(source) for source in memory.sources]},
    )


def shown(memory: Memory) -> str:
    """Return the text of a memory as it may enter a prompt.

    It cannot close its fence, and its further lines are indented, so that none looks like an entry of its own.
    """
    return "\n  ".join(line for line in _bounded(fenced(memory.text)).splitlines() if line.strip())


def _bounded(text: str) -> str:
    """Cut the middle out of a long text: title and request come first, result and lesson last."""
    if len(text) <= MOST_CHARACTERS:
        return text
    end = MOST_CHARACTERS // 4
    return f"{text[: MOST_CHARACTERS - end]} …\n… {text[-end:]}"


def _source(source: Source) -> dict[str, object]:
    return {
        "session_id": source.session_id,
        "event_ids": list(source.event_ids),
        "at": source.at.isoformat(timespec="seconds"),
        "origin": source.origin,
    }

"""Memories that a host hands over already worded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from google.adk.memory.memory_entry import MemoryEntry

from twofold.memory.errors import InvalidInput
from twofold.memory.verbatim import VerbatimText

MOST_CHARACTERS = 4_000


def texts_of(memories: Sequence[MemoryEntry]) -> tuple[VerbatimText, ...]:
    """Return the text and time of each memory; ones without text are left out.

    Raises InvalidInput for a text over 4,000 characters or a timestamp that is not ISO 8601.
    """
    return tuple(_texts(memories))


def _texts(memories: Sequence[MemoryEntry]) -> Iterator[VerbatimText]:
    for position, memory in enumerate(memories):
        parts = memory.content.parts or []
        text = " ".join(part.text for part in parts if part.text and not part.thought).strip()
        if len(text) > MOST_CHARACTERS:
            raise InvalidInput(
                f"memories[{position}].content: {len(text)} characters are over the limit of {MOST_CHARACTERS}"
            )
        if text:
            yield VerbatimText(text=text, at=_time(position, memory.timestamp))


def _time(position: int, timestamp: str | None) -> datetime | None:
    if timestamp is None:
        return None
    try:
        at = datetime.fromisoformat(timestamp)
    except ValueError:
        raise InvalidInput(f"memories[{position}].timestamp: {timestamp!r:.40} is not ISO 8601") from None
    return at if at.tzinfo else at.replace(tzinfo=UTC)

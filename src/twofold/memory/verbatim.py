"""A memory that needs no extraction: its words are final."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from twofold.memory.clean import clean_text
from twofold.memory.errors import InvalidInput
from twofold.memory.redacted_extraction import without_secrets
from twofold.memory.redaction import Redactor


@dataclass(frozen=True, slots=True, kw_only=True)
class VerbatimText:
    """A fact in the host's own words, and when it became true (None = now)."""

    text: str
    at: datetime | None


def redacted_texts(texts: Sequence[VerbatimText], redactor: Redactor) -> list[VerbatimText]:
    """Return the texts without secrets; one of which no word is left is left out.

    Raises InvalidInput for one that was blank before.
    """
    redacted: list[VerbatimText] = []
    for position, given in enumerate(texts):
        cleaned = clean_text(given.text)
        if not cleaned.strip():
            raise InvalidInput(f"texts[{position}].text: is blank")
        if text := without_secrets(cleaned, redactor):
            redacted.append(replace(given, text=text))
    return redacted

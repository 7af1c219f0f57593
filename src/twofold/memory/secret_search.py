"""Secrets told by patterns in a text, and what is put in their place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Protocol

from twofold.memory.secret_patterns import SecretPattern

PLACEHOLDER = re.compile(r"\[redacted: [a-z -]+\]")
DROPPED = "[redacted: dropped]"
"""Stands where a secret was, and what named it, until the whole text is searched; then it is taken out."""


def placeholder(kind: str) -> str:
    """Return what stands in a text where a secret of this kind stood."""
    return f"[redacted: {kind}]"


class Replacing(Protocol):
    """One way to take the secrets of a pattern out of a text."""

    def __call__(self, text: str, kind: str, pattern: SecretPattern, *, whole: bool) -> str:
        """Return the text; `whole`: with what names each secret, and without a placeholder in the end."""
        ...


def replaced(text: str, kind: str, pattern: SecretPattern, *, whole: bool) -> str:
    """Put a placeholder for each secret."""
    if whole:
        return _with(DROPPED, text, (pattern.told(found) for found in _secrets(text, pattern)))
    return _with(placeholder(kind), text, (found.span("secret") for found in _secrets(text, pattern)))


def blanked(text: str, kind: str, pattern: SecretPattern, *, whole: bool) -> str:
    """Put a placeholder for each line with a secret: so many are glued together that a round for each takes long."""
    return _with(DROPPED if whole else placeholder(kind), text, _lines_of(text, pattern))


def _lines_of(text: str, pattern: SecretPattern) -> Iterator[tuple[int, int]]:
    end = -1
    for found in _secrets(text, pattern):
        if found.start("secret") > end:
            start, end = text.rfind("\n", 0, found.start("secret")) + 1, text.find("\n", found.end("secret"))
            end = len(text) if end < 0 else end
            yield start, end


def _secrets(text: str, pattern: SecretPattern) -> Iterator[re.Match[str]]:
    return (found for found in pattern.regex.finditer(text) if pattern.holds(found))


def _with(said: str, text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return the text with `said` in the place of each span."""
    parts, after = [], 0
    for start, end in spans:
        parts += [text[after:start], said]
        after = end
    return "".join((*parts, text[after:])) if parts else text

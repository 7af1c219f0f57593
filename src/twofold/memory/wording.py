"""Short, one-line forms of texts and values, for narratives and reasons."""

from __future__ import annotations

import json

from twofold.memory.jsontypes import Json


def one_line(text: str, longest: int) -> str:
    """Return `text` on one line with single spaces, cut to `longest` characters with an ellipsis."""
    return clamped(" ".join(text.split()), longest)


def clamped(text: str, longest: int) -> str:
    """Return `text`, cut to `longest` characters with an ellipsis."""
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def compact(value: Json) -> str:
    """Return `value` as one line of JSON with sorted keys, since JSONB does not keep their order."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)

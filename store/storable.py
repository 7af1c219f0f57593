"""What Postgres can keep as text and JSON: no NUL, no lone surrogate, no NaN, no infinity."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from twofold.memory.errors import InvalidInput
from twofold.memory.jsontypes import Json

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_ESCAPED = re.compile("[\\\\\x00-\x1f\x7f\ud800-\udfff]")
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")
_REPLACEMENT = "\ufffd"


def escaped(identifier: str) -> str:
    r"""Return an identifier in a form that can be stored and shown; most stay as they are.

    Control characters, lone surrogates and the backslash become `\uXXXX`.
    """
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", identifier)


def unescaped(text: str) -> str:
    """Return the identifier that `escaped` made this text of."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)


def checked_text(name: str, text: str) -> str:
    """Return the text. Raises InvalidInput, naming it, if Postgres cannot keep it."""
    if found := _UNSTORABLE.search(text):
        raise InvalidInput(f"{name}: character {found.start()} is {found[0]!r}, which cannot be stored")
    return text


def checked_json(name: str, value: Json) -> str:
    """Return the value as JSON text. Raises InvalidInput, naming it, if Postgres cannot keep it."""
    text = _dumped(value)
    if text is None:
        raise InvalidInput(f"{name}: holds NUL, a lone surrogate, NaN, an infinity, or is nested too deep")
    return text


def is_storable(value: Json) -> bool:
    """Whether Postgres can keep this value as it is."""
    return _dumped(value) is not None


def cleaned_text(text: str) -> str:
    """Return the text with NUL and lone surrogates replaced by U+FFFD."""
    return _UNSTORABLE.sub(_REPLACEMENT, text)


def cleaned(name: str, value: Json) -> Any:
    """Return the value with what Postgres cannot keep replaced: U+FFFD in texts, null for NaN.

    Raises InvalidInput, naming it, if it is nested too deep.
    """
    try:
        return _cleaned(value)
    except RecursionError:
        raise InvalidInput(f"{name}: is nested too deep to be stored") from None


def _dumped(value: Json) -> str | None:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        text.encode()
    except (ValueError, RecursionError):  # NaN, a surrogate; too deep
        return None
    # May also be a backslash followed by u0000 in the text itself: then cleaning changes nothing.
    return None if "\\u0000" in text and _holds_nul(value) else text


def _holds_nul(value: Json) -> bool:
    if isinstance(value, str):
        return "\x00" in value
    if isinstance(value, Mapping):
        return any("\x00" in name or _holds_nul(item) for name, item in value.items())
    return isinstance(value, Sequence) and any(_holds_nul(item) for item in value)


def _cleaned(value: Json) -> Json:
    if isinstance(value, str):
        return cleaned_text(value)
    if isinstance(value, Mapping):
        return {cleaned_text(name): _cleaned(item) for name, item in value.items()}
    if isinstance(value, Sequence):
        return [_cleaned(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value

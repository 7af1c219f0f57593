"""Text and JSON made fit for PostgreSQL, for JSON and for a prompt.

PostgreSQL refuses NUL and lone surrogates, JSON has no NaN and no bytes, and a tool may return any object.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from uuid import UUID

from twofold.memory.jsontypes import Json

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_DEEPEST = 32
_LONGEST_INT_BITS = 1024


def clean_text(text: str) -> str:
    """Return `text` without control characters (line feed and tab stay) and without lone surrogates.

    Line ends become line feeds. Two surrogates that form a pair become the character they stand for.
    """
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def clean_json(value: object) -> Json:
    """Return `value` as plain JSON with clean texts and keys.

    NaN and infinities become their names, bytes a note of their length, and an object JSON does not know the
    name of its class. What is nested deeper than 32 levels, or contains itself, is replaced by a note.
    """
    return _clean(value, ())


def _clean(value: object, within: tuple[int, ...]) -> Json:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Enum):
        return _clean(value.value, within)
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, (int, float)):
        return _clean_number(value)
    return _clean_nested(value, within)


def _clean_number(value: float) -> Json:
    if isinstance(value, int):
        return int(value) if value.bit_length() <= _LONGEST_INT_BITS else "[number too large]"
    if math.isfinite(value):
        return float(value)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _clean_nested(value: object, within: tuple[int, ...]) -> Json:
    """Clean a container; `within` names the containers around it, which bounds depth and ends cycles."""
    if len(within) >= _DEEPEST or id(value) in within:
        return "[nested too deep]"
    inside = (*within, id(value))
    if is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name, None) for field in fields(value)}
    if isinstance(value, Mapping):
        return {clean_text(str(key)): _clean(item, inside) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(item, inside) for item in value]
    if isinstance(value, AbstractSet):
        return [_clean(item, inside) for item in sorted(value, key=repr)]
    return _clean_other(value)


def _clean_other(value: object) -> Json:
    if isinstance(value, (bytes, bytearray)):
        return f"[{len(value)} bytes]"
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, (Decimal, UUID, PurePath, timedelta)):
        return clean_text(str(value))
    return f"[{type(value).__name__}]"

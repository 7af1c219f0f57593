"""Cursors: where a page ended, as one opaque text that belongs to one query."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256

from pydantic import BaseModel, ConfigDict, ValidationError

from twofold.memory.clean import clean_text
from twofold.memory.errors import InvalidInput
from twofold.memory.memories import Position
from twofold.memory.scope import Kind
from twofold.wire import Time

_REFUSED = "cursor: is not one of this query; leave it out to begin anew"


class _Cursor(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=False)

    at: Time
    key: str
    kind: Kind
    of: str


def cursor_of(position: Position, query: Sequence[str | datetime | None]) -> str:
    """Return the cursor behind a position in the listing of a query, which is told by its filters."""
    told = {"at": position.at.isoformat(), "key": position.key, "kind": position.kind, "of": _mark(query)}
    return urlsafe_b64encode(json.dumps(told).encode()).decode().rstrip("=")


def position_of(cursor: str, query: Sequence[str | datetime | None]) -> Position:
    """Return the position that `cursor_of` wrote for this query. Raises InvalidInput for any other text."""
    try:
        raw = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        told = _Cursor.model_validate_json(raw)
    except (ValidationError, ValueError):
        raise InvalidInput(_REFUSED) from None
    if told.of != _mark(query) or told.key != clean_text(told.key):
        raise InvalidInput(_REFUSED)
    return Position(at=told.at, key=told.key, kind=told.kind)


def _mark(query: Sequence[str | datetime | None]) -> str:
    told = [item.isoformat() if isinstance(item, datetime) else item for item in query]
    return sha256(json.dumps(told).encode()).hexdigest()[:16]

"""A session as the bodies of requests, and memories from the bodies of answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, fields

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from twofold.health import Backlog, SaveError
from twofold.memory.clean import clean_json
from twofold.memory.jsontypes import Json
from twofold.memory.keys import body_id, key_of_url
from twofold.memory.memories import Memory, Recall, Source
from twofold.memory.transcript import Entry
from twofold.wire import MOST_ENTRIES, HealthBody, MemoryBody, RecallBody

MOST_BYTES = 8_000_000
_MOST_KEPT_BYTES = 500
_LEFT_OUT = "[left out: {} bytes, and the server or a proxy before it takes no request of that size]"

_ENTRY = TypeAdapter(Entry)
_CONTENT = frozenset({"text", "payload", "error"})
_DEFAULTS = {field.name: field.default for field in fields(Entry)}


def parts_of(entries: Sequence[Entry]) -> Iterator[list[bytes]]:
    """Yield the entries as JSON, in parts that a server takes: at most 50,000, and 8 MB unless one alone is more.

    A session may be handed over in any parts: the server merges them. One without entries is one empty part.
    """
    part: list[bytes] = []
    size = 0
    for entry in entries:
        written = _json(entry)
        if part and (len(part) >= MOST_ENTRIES or size + len(written) > MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(written)
        size += len(written) + 1
    yield part


def handed_over(session_id: str, part: Sequence[bytes], *, at_once: bool) -> bytes:
    """Return the body of a request that hands over a part of a session: a `wire.HandedOver`."""
    head = json.dumps({"session_id": body_id(session_id), "at_once": at_once})
    return head[:-1].encode() + b', "entries": [' + b",".join(part) + b"]}"


def shortened(entry: bytes) -> bytes:
    """Return an entry of `parts_of` with a note in the place of whatever is long in it; it stays the same entry.

    What is short in a tool's response stays, as it tells how the call ended.
    """
    said = json.loads(entry)
    for name in _CONTENT & said.keys():
        said[name] = _short(said[name])
    return _compact(said)


def backlog_of(body: HealthBody) -> Backlog:
    """Return what waits on a server."""
    error = body.last_error
    return Backlog(
        waiting=body.waiting,
        failed=body.failed,
        oldest_at=body.oldest_at,
        behind_since=body.behind_since,
        last_error=None
        if error is None
        else SaveError(session_id=key_of_url(error.session_id), at=error.at, cause=error.cause),
    )


def recall_of(body: RecallBody) -> Recall:
    """Return what a server recalled. Raises InvalidInput for a key that none of ours is."""
    return Recall(facts=tuple(map(memory_of, body.facts)), episodes=tuple(map(memory_of, body.episodes)))


def memory_of(body: MemoryBody) -> Memory:
    """Return the memory of a body. Raises InvalidInput for a key that none of ours is."""
    return Memory(
        key=key_of_url(body.key),
        kind=body.kind,
        text=body.text,
        content=body.content,
        sources=tuple(
            Source(session_id=key_of_url(s.session_id), event_ids=tuple(s.event_ids), at=s.at, origin=s.origin)
            for s in body.sources
        ),
        rev=body.rev,
        created_at=body.created_at,
        updated_at=body.updated_at,
        score=body.score,
        exact=body.exact,
    )


def _json(entry: Entry) -> bytes:
    """Return an entry as JSON, only the fields that say something."""
    try:
        return _ENTRY.dump_json(entry, exclude_defaults=True)
    except PydanticSerializationError:  # a lone surrogate, something nested too deep, no JSON at all
        said = {name: getattr(entry, name) for name in _DEFAULTS}
        kept = {name: value for name, value in said.items() if _DEFAULTS[name] is MISSING or value != _DEFAULTS[name]}
        return json.dumps(clean_json({**kept, "at": entry.at.isoformat()})).encode()


def _short(value: Json) -> Json:
    if isinstance(value, dict):
        short = {key: _noted(item) for key, item in value.items()}
        if len(_compact(short)) <= _MOST_KEPT_BYTES:
            return short
    return _noted(value)


def _noted(value: Json) -> Json:
    size = len(_compact(value))
    return value if size <= _MOST_KEPT_BYTES else _LEFT_OUT.format(size)


def _compact(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()

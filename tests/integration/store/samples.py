"""Sample values: scopes, hostile ids, vectors, entries and saves."""

import math
import zlib
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from twofold.memory.keys import episode_key
from twofold.memory.memories import Change, Memory, Origin, Retraction, Save, Source
from twofold.memory.scope import Kind, Scope
from twofold.memory.transcript import Entry
from twofold.store.memories import PostgresMemories

DIMS = 32
EMBEDDER = "test:words"
ANNA = Scope(tenant_id="acme", user_id="anna")
BEN = Scope(tenant_id="acme", user_id="ben")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)

HOSTILE_IDS = {
    "email": "anna.meier@acme.com",
    "percent": "%",
    "underscore": "_",
    "one": "1",
    "ten": "10",
    "empty": "",
    "langgraph": "langgraph",
    "long": "x" * 3000,
    "long_too": "x" * 2999 + "y",
    "unicode": "Ünï-中-é",
    "decomposed": "Ünï-中-e\u0301",
    "nul": "a\x00b",
    "surrogate": "a\ud800b",
    "quote": "x' OR '1'='1' --",
    "backslash": "a\\u0000b",
    "encoded": "x-mfrgg",
    "dots": "acme.semantic",
    "slash": "acme/anna",
    "space": " anna ",
}


def vector(text: str, dims: int = DIMS) -> list[float]:
    """Return a unit vector that texts with common words share a part of."""
    numbers = [0.001] * dims
    for word in text.lower().split():
        numbers[zlib.crc32(word.encode(errors="replace")) % dims] += 1.0
    norm = math.hypot(*numbers)
    return [number / norm for number in numbers]


def vectors(*texts: str) -> dict[str, list[float]]:
    return {text: vector(text) for text in texts}


def said(event_id: str, text: str = "", *, at: datetime = NOON, author: str = "user", **more: Any) -> Entry:
    return Entry(event_id=event_id, kind="said", author=author, at=at, text=text or event_id, **more)


def called(event_id: str, *, at: datetime = NOON, tool: str = "close_period") -> Entry:
    return Entry(event_id=event_id, kind="called", author="agent", at=at, tool=tool, call_id=event_id)


def source(session_id: str, *event_ids: str, at: datetime = NOON, origin: Origin = "user said") -> Source:
    return Source(session_id=session_id, event_ids=event_ids or ("e1",), at=at, origin=origin)


def add(text: str, session_id: str = "s1", *event_ids: str, at: datetime = NOON) -> Change:
    return _fact("ADD", None, text, source(session_id, *event_ids, at=at))


def update(key: str, text: str, session_id: str = "s1", *event_ids: str, at: datetime = NOON) -> Change:
    return _fact("UPDATE", key, text, source(session_id, *event_ids, at=at))


def delete(key: str, session_id: str = "s1", kind: Kind = "semantic", *, at: datetime = NOON) -> Change:
    return Change(action="DELETE", kind=kind, key=key, text="", content={}, source=source(session_id, at=at))


def episode(
    text: str,
    scope: Scope = ANNA,
    session_id: str = "s1",
    *event_ids: str,
    at: datetime = NOON,
    workflow: str = "",
) -> Change:
    return Change(
        action="ADD",
        kind="episodic",
        key=episode_key(scope, session_id),
        text=text,
        content={"narrative": text, "workflow": workflow},
        source=source(session_id, *event_ids, at=at),
    )


def save_of(
    *changes: Change,
    scope: Scope = ANNA,
    session_id: str = "s1",
    generation: int = 0,
    seen: Iterable[str] = (),
    retracted: Iterable[Retraction] = (),
) -> Save:
    return Save(
        scope=scope,
        session_id=session_id,
        generation=generation,
        changes=changes,
        seen_event_ids=tuple(seen),
        models={"semantic": "test-model", "episodic": "test-narrator"},
        retracted=tuple(retracted),
    )


async def remember(
    memories: PostgresMemories, *changes: Change, scope: Scope = ANNA, session_id: str = "s1", **more: Any
) -> list[str]:
    """Save changes at the present generation; return the keys they came to."""
    generation = (await memories.progress(scope, session_id)).generation
    save = save_of(*changes, scope=scope, session_id=session_id, generation=generation, **more)
    applied = await memories.save(save, vectors(*(change.text for change in changes)))
    return [change.key for change in applied]


async def found(memories: PostgresMemories, query: str, *, scope: Scope = ANNA, kind: Kind = "semantic") -> list[str]:
    """Return the texts a search brings."""
    result = await memories.search(scope, kind, query=query, vector=vector(query), limit=12)
    return [memory.text for memory in result]


async def facts(memories: PostgresMemories, scope: Scope = ANNA, kind: Kind = "semantic") -> tuple[Memory, ...]:
    return await memories.list_memories(scope, kind)


def later(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def _fact(action: Any, key: str | None, text: str, of: Source) -> Change:
    return Change(action=action, kind="semantic", key=key, text=text, content={"content": text}, source=of)

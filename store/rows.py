"""Rows of LangGraph's store as memories, and back. Rows never leave store/."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from twofold.memory.jsontypes import Json, JsonObject
from twofold.memory.memories import Memory, Source, origin_of
from twofold.memory.scope import Kind, Scope, namespace
from twofold.store.storable import escaped, unescaped

_SCHEMA_NAMES: Mapping[Kind, str] = {"semantic": "Memory", "episodic": "Episode"}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreRow:
    """One row of `public.store`, as every query of ours selects it."""

    prefix: str
    key: str
    value: Any
    created_at: datetime
    updated_at: datetime
    score: float | None = None


def prefix_of(scope: Scope, kind: Kind) -> str:
    """Return LangGraph's text form of the namespace; labels hold no dot."""
    return ".".join(namespace(scope, kind))


def prefixes_of(scope: Scope) -> tuple[str, str]:
    """Return the prefixes of all memories of a person."""
    return prefix_of(scope, "semantic"), prefix_of(scope, "episodic")


def kind_of(prefix: str) -> Kind:
    """Return the kind in a prefix that `prefix_of` made."""
    return "episodic" if prefix.split(".")[1] == "episodic" else "semantic"


def memory_of(row: StoreRow) -> Memory:
    """Return the memory in a row. One written by stock LangGraph or LangMem code has no text: it is its content."""
    value: Mapping[str, Any] = row.value if isinstance(row.value, Mapping) else {"content": row.value}
    content = value.get("content", value)
    text = value.get("text")
    return Memory(
        key=row.key,
        kind=kind_of(row.prefix),
        text=text if isinstance(text, str) and text else text_of(content),
        content=content if isinstance(content, Mapping) else {"content": content},
        sources=tuple(_source(item, row) for item in _list(value.get("sources"))),
        rev=rev if isinstance(rev := value.get("rev"), int) else 1,
        created_at=_time(value.get("created_at"), row.created_at),
        updated_at=_time(value.get("updated_at"), row.updated_at),
        score=row.score,
    )


def value_of(memory: Memory) -> dict[str, Any]:
    """Return the value to store. `kind` and `content` are what LangMem's readers expect."""
    return {
        "kind": _SCHEMA_NAMES[memory.kind],
        "content": dict(memory.content),
        "text": memory.text,
        "sources": [source_to_json(source) for source in memory.sources],
        "rev": memory.rev,
        "created_at": memory.created_at.isoformat(),
        "updated_at": memory.updated_at.isoformat(),
    }


def source_to_json(source: Source) -> dict[str, Json]:
    """Return a source as it stands in a value."""
    return {
        "session_id": escaped(source.session_id),
        "event_ids": list(source.event_ids),
        "at": source.at.isoformat(),
        "origin": source.origin,
    }


def text_of(content: Any) -> str:
    """Return the words of a content: itself, its `content`, or its fields one a line."""
    if isinstance(content, str):
        return content
    if not isinstance(content, Mapping):
        return str(content)
    if isinstance(only := content.get("content"), str) and only:
        return only
    return "\n".join(f"{name}: {item}" for name, item in content.items() if item not in (None, ""))


def _source(item: JsonObject, row: StoreRow) -> Source:
    return Source(
        session_id=unescaped(str(item.get("session_id", ""))),
        event_ids=tuple(str(event_id) for event_id in _list(item.get("event_ids"), of=object)),
        at=_time(item.get("at"), row.updated_at),
        origin=origin_of(item.get("origin")),
    )


def _list(value: Any, of: type = Mapping) -> list[Any]:
    return [item for item in value if isinstance(item, of)] if isinstance(value, list) else []


def _time(value: Any, otherwise: datetime) -> datetime:
    try:
        time = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return otherwise
    return time if time.tzinfo else time.replace(tzinfo=UTC)

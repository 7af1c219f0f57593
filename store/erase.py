"""Erase one memory, a session or a person, so that it does not come back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from twofold.memory.memories import Memory
from twofold.memory.scope import Kind, Scope, label
from twofold.store import erasures as sql
from twofold.store.labels import which, whose
from twofold.store.pool import Connection
from twofold.store.queue import Queue
from twofold.store.rows import StoreRow, memory_of, prefixes_of, source_to_json
from twofold.store.scopes import lock_scope, raise_generation


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """How much was erased: memories with their vectors, accepted sessions, audit texts, waiting jobs."""

    memories: int = 0
    sessions: int = 0
    audit_entries: int = 0
    jobs: int = 0


async def erase_memory(connection: Connection, scope: Scope, key: str, now: datetime) -> Erased:
    """Erase one memory, its vector, the texts of its history and what was extracted for it but not stored.

    A fact leaves tombstones for the events it rested on, an episode for its session up to now: handing the
    session over again does not bring it back, saying it anew does. The accepted session stays, as evidence of
    its other memories, until it is erased or expires. A key that is not this person's is left alone.
    """
    await lock_scope(connection, scope, now)
    chosen = {**whose(scope), "prefixes": list(prefixes_of(scope)), "key": key, "now": now}
    async with connection.cursor(row_factory=class_row(StoreRow)) as cursor:
        row = await (await cursor.execute(sql.TAKE_MEMORY, chosen)).fetchone()
    if row is None:
        return Erased()
    memory = memory_of(row)
    for session_id in {source.session_id for source in memory.sources}:
        event_ids = [e for source in memory.sources if source.session_id == session_id for e in source.event_ids]
        before = now if memory.kind == "episodic" else None
        await _bury(connection, scope, session_id, kind=memory.kind, before=before, event_ids=event_ids, now=now)
        await connection.execute(sql.DELETE_KEPT, which(scope, session_id))
    audited = await _blank(connection, scope, [memory], now)
    await raise_generation(connection, scope)
    return Erased(memories=1, audit_entries=audited)


async def erase_session(connection: Connection, queue: Queue, scope: Scope, session_id: str, now: datetime) -> Erased:
    """Erase what was accepted of a session and every memory that rests on it alone or has its words from it.

    Other memories lose the session from their sources.
    """
    await lock_scope(connection, scope, now)
    session = {**which(scope, session_id), "prefixes": list(prefixes_of(scope)), "now": now}
    known = await _event_ids(connection, sql.EVENTS_OF_SESSION, session)
    async with connection.cursor(row_factory=class_row(StoreRow)) as cursor:
        gone = [memory_of(row) for row in await (await cursor.execute(sql.TAKE_OF_SESSION, session)).fetchall()]
        rows = await (await cursor.execute(sql.RESTING_ON_SESSION, session)).fetchall()
    known.update(_events_of(session_id, gone))
    for row in rows:
        memory = memory_of(row)
        known.update(_events_of(session_id, [memory]))
        await _without_source(connection, row, memory, session_id)
    sessions = (await connection.execute(sql.DELETE_INBOX, session)).rowcount
    await connection.execute(sql.DELETE_LEDGER, session)
    await connection.execute(sql.DELETE_KEPT, session)
    audited = await _blank(connection, scope, gone, now)
    audited += (await connection.execute(sql.BLANK_WORDS_OF_SESSION, session)).rowcount
    await connection.execute(sql.BLANK_AUDIT_OF_SESSION, session)
    await _bury(connection, scope, session_id, kind=None, before=now, event_ids=sorted(known), now=now)
    await raise_generation(connection, scope)
    jobs = await queue.discard(connection, scope, session_id)
    return Erased(memories=len(gone), sessions=sessions, audit_entries=audited, jobs=jobs)


async def erase_user(connection: Connection, queue: Queue, scope: Scope, now: datetime) -> Erased:
    """Erase everything of a person. What remains is a tombstone: nothing up to now may come back."""
    await lock_scope(connection, scope, now)
    person = {**whose(scope), "prefixes": list(prefixes_of(scope)), "now": now}
    later = sorted(await _event_ids(connection, sql.EVENTS_DATED_LATER, person))  # which `before` would let pass
    memories = (await connection.execute(sql.DELETE_MEMORIES, person)).rowcount
    audited = (await connection.execute(sql.DELETE_AUDIT, person)).rowcount
    sessions = (await connection.execute(sql.DELETE_ALL_INBOX, person)).rowcount
    for statement in (sql.DELETE_ALL_LEDGER, sql.DELETE_ALL_KEPT, sql.DELETE_TOMBSTONES):
        await connection.execute(statement, person)
    await _bury(connection, scope, None, kind=None, before=now, event_ids=later, now=now)
    await connection.execute(sql.ADD_AUDIT, {**person, "kind": "", "key": ""})
    await raise_generation(connection, scope)
    jobs = await queue.discard(connection, scope)
    return Erased(memories=memories, sessions=sessions, audit_entries=audited, jobs=jobs)


async def _bury(
    connection: Connection,
    scope: Scope,
    session_id: str | None,
    *,
    kind: Kind | None,
    before: datetime | None,
    event_ids: list[str],
    now: datetime,
) -> None:
    stone: dict[str, Any] = {
        **whose(scope),
        "session": None if session_id is None else label(session_id),
        "kind": kind,
        "before": before,
        "event_ids": event_ids,
        "now": now,
    }
    await connection.execute(sql.BURY, stone)


async def _blank(connection: Connection, scope: Scope, memories: list[Memory], now: datetime) -> int:
    """Blank the texts in the history of these memories and note that they were erased."""
    blanked = 0
    for memory in memories:
        chosen = {**whose(scope), "kind": memory.kind, "key": memory.key, "now": now}
        blanked += (await connection.execute(sql.BLANK_AUDIT, chosen)).rowcount
        await connection.execute(sql.ADD_AUDIT, chosen)
    return blanked


async def _event_ids(connection: Connection, statement: LiteralString, chosen: dict[str, Any]) -> set[str]:
    return {row["event_id"] for row in await (await connection.execute(statement, chosen)).fetchall()}


def _events_of(session_id: str, memories: list[Memory]) -> set[str]:
    return {
        event_id
        for memory in memories
        for source in memory.sources
        if source.session_id == session_id
        for event_id in source.event_ids
    }


async def _without_source(connection: Connection, row: StoreRow, memory: Memory, session_id: str) -> None:
    sources = [source_to_json(source) for source in memory.sources if source.session_id != session_id]
    changed = {"prefix": row.prefix, "key": row.key, "sources": Jsonb(sources), "session": label(session_id)}
    await connection.execute(sql.SET_SOURCES, changed)
    await connection.execute(sql.DROP_SESSION, changed)

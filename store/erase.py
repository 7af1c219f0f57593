"""Erase one memory or one session, so that it does not come back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, LiteralString

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from twofold.memory.memories import Memory
from twofold.memory.scope import Kind, Scope, label
from twofold.memory.tombstones import Tombstone, remaining, unneeded
from twofold.memory.transcript import Entry
from twofold.store import erasures as sql
from twofold.store.entries import columns, entry_of
from twofold.store.erased import Erased
from twofold.store.inbox_rows import ENTRIES
from twofold.store.labels import which, whose
from twofold.store.pool import Connection
from twofold.store.queue import Queue
from twofold.store.rows import StoreRow, memory_of, prefixes_of, source_to_json
from twofold.store.scopes import lock_scope, raise_generation

_NO_SESSION = label("")


async def erase_memory(connection: Connection, scope: Scope, key: str, now: datetime) -> Erased:
    """Erase one memory, its vector, the texts of its history, and the entries that it alone rested on.

    What was extracted but not stored of its sessions goes too. Its events leave tombstones, an episode for its session
    up to now: handing the session over again does not bring it back, saying it anew does. Entries that other memories
    rest on too stay, and count as spared. Of a memory that is gone, its history is erased. A key that is not this
    person's is left alone.
    """
    await lock_scope(connection, scope, now)
    person = {**whose(scope), "prefixes": list(prefixes_of(scope))}
    taken, vectors = await _taken(connection, sql.TAKE_MEMORY, {**person, "key": key})
    told = await _told_of(connection, scope, key, taken)
    erased = Erased(memories=len(taken), vectors=vectors, at=now)
    for (kind, session), event_ids in told.items():
        before = now if taken and kind == "episodic" else None
        stone = Tombstone(kind=kind, before=before, event_ids=frozenset(event_ids))
        erased = erased.and_more(await _erase_evidence(connection, {**person, "session": session}, stone, now))
    for kind in {kind for kind, _ in told} or {memory.kind for memory in taken}:
        erased = erased.and_more(await _blanked(connection, scope, kind, key, now))
    if erased.nothing:
        return Erased()
    await raise_generation(connection, scope)
    return erased


async def erase_session(connection: Connection, queue: Queue, scope: Scope, session_id: str, now: datetime) -> Erased:
    """Erase what was accepted of a session and every memory that rests on it alone or has its words from it.

    Other memories lose the session from their sources.
    """
    await lock_scope(connection, scope, now)
    session = {**which(scope, session_id), "prefixes": list(prefixes_of(scope)), "now": now}
    known = {row["event_id"] for row in await _rows(connection, sql.EVENTS_OF_SESSION, session)}
    gone, vectors = await _taken(connection, sql.TAKE_OF_SESSION, session)
    known.update(_events_of(label(session_id), gone))
    for row in await _stored(connection, session):
        memory = memory_of(row)
        known.update(_events_of(label(session_id), [memory]))
        await _without_source(connection, row, memory, session_id)
    erased = Erased(
        memories=len(gone),
        vectors=vectors,
        entries=await _done(connection, sql.DELETE_ENTRIES, session),
        sessions=await _done(connection, sql.DELETE_INBOX, session),
        ledger=await _done(connection, sql.DELETE_LEDGER, session),
        extractions=await _done(connection, sql.DELETE_KEPT, session),
        at=now,
    )
    for memory in gone:
        erased = erased.and_more(await _blanked(connection, scope, memory.kind, memory.key, now))
    words = await _done(connection, sql.BLANK_WORDS_OF_SESSION, session)
    await _done(connection, sql.BLANK_AUDIT_OF_SESSION, session)
    await _bury(connection, session, Tombstone(kind=None, before=now, event_ids=frozenset(known)), now)
    await raise_generation(connection, scope)
    jobs = await queue.discard(connection, scope, session_id)
    return erased.and_more(Erased(audit_entries=words, jobs=jobs))


async def _erase_evidence(
    connection: Connection, session: Mapping[str, Any], stone: Tombstone, now: datetime
) -> Erased:
    """Bury what a memory rested on of one session, and take the entries out that no other memory rests on."""
    others = [memory_of(row) for row in await _stored(connection, session)]
    entries = [entry_of(row["entry"]) for row in await _rows(connection, ENTRIES, session)]
    needed = _events_of(session["session"], others)
    # What came without a session has no entries.
    gone = unneeded(entries, stone.event_ids, needed) if session["session"] != _NO_SESSION else frozenset[str]()
    whole = Tombstone(kind=None, before=None, event_ids=gone)
    left = set(map(_identity, remaining(entries, (stone, whole))))
    for buried in (stone, whole):
        if buried.before is not None or buried.event_ids:
            await _bury(connection, session, buried, now)
    dropped = columns([entry for entry in entries if _identity(entry) not in left])
    return Erased(
        entries=await _done(connection, sql.DELETE_SOME_ENTRIES, {**session, **dropped}),
        extractions=await _done(connection, sql.DELETE_KEPT, session),
        spared=sum(entry.event_id in stone.event_ids and _identity(entry) in left for entry in entries),
    )


def _identity(entry: Entry) -> tuple[str, int]:
    return entry.event_id, entry.part


async def _told_of(
    connection: Connection, scope: Scope, key: str, taken: Collection[Memory]
) -> dict[tuple[Kind, str], set[str]]:
    """Return the events that a memory rested on, by its kind and the session; if it is gone, by its history."""
    told: defaultdict[tuple[Kind, str], set[str]] = defaultdict(set)
    for memory in taken:
        for source in memory.sources:
            told[memory.kind, label(source.session_id)].update(source.event_ids)
    if not taken:
        for row in await _rows(connection, sql.TOLD_OF, {**whose(scope), "key": key}):
            told[row["kind"], row["session_label"]].update(row["events"])
    return told


async def _bury(connection: Connection, session: Mapping[str, Any], stone: Tombstone, now: datetime) -> None:
    buried = {"kind": stone.kind, "before": stone.before, "event_ids": sorted(stone.event_ids), "now": now}
    await connection.execute(sql.BURY, {**session, **buried})


async def _blanked(connection: Connection, scope: Scope, kind: Kind, key: str, now: datetime) -> Erased:
    """Blank the texts in the history of a memory and note that it was erased."""
    chosen = {**whose(scope), "kind": kind, "key": key, "now": now}
    blanked = await _done(connection, sql.BLANK_AUDIT, chosen)
    await connection.execute(sql.ADD_AUDIT, chosen)
    return Erased(audit_entries=blanked)


async def _taken(
    connection: Connection, statement: LiteralString, chosen: Mapping[str, Any]
) -> tuple[list[Memory], int]:
    """Delete memories; return them, and how many vectors went with them."""
    rows = await _rows(connection, statement, chosen)
    vectors = sum(row.pop("vectors") for row in rows)
    return [memory_of(StoreRow(**row)) for row in rows], vectors


async def _stored(connection: Connection, session: Mapping[str, Any]) -> list[StoreRow]:
    async with connection.cursor(row_factory=class_row(StoreRow)) as cursor:
        return await (await cursor.execute(sql.RESTING_ON_SESSION, session)).fetchall()


async def _rows(connection: Connection, statement: LiteralString, chosen: Mapping[str, Any]) -> list[dict[str, Any]]:
    return await (await connection.execute(statement, chosen)).fetchall()


async def _done(connection: Connection, statement: LiteralString, chosen: Mapping[str, Any]) -> int:
    return (await connection.execute(statement, chosen)).rowcount


def _events_of(session_label: str, memories: Collection[Memory]) -> set[str]:
    return {
        event_id
        for memory in memories
        for source in memory.sources
        if label(source.session_id) == session_label
        for event_id in source.event_ids
    }


async def _without_source(connection: Connection, row: StoreRow, memory: Memory, session_id: str) -> None:
    sources = [source_to_json(source) for source in memory.sources if source.session_id != session_id]
    changed = {"prefix": row.prefix, "key": row.key, "sources": Jsonb(sources), "session": label(session_id)}
    await connection.execute(sql.SET_SOURCES, changed)
    await connection.execute(sql.DROP_SESSION, changed)

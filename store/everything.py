"""Everything that is kept of a person, in batches: no list of it is ever whole in this process.

A batch is read on a connection of its own, so that a slow reader holds none. Batches follow keys that do not
change: what is changed meanwhile is told once, as it was or as it is.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import datetime
from typing import Any, LiteralString

from psycopg.rows import DictRow

from twofold.memory.history import AuditEntry, SessionPart
from twofold.memory.memories import Memory
from twofold.memory.scope import Scope
from twofold.store.audit import with_session
from twofold.store.labels import whose
from twofold.store.pool import Pool, borrowed
from twofold.store.rows import StoreRow, memory_of, prefixes_of
from twofold.store.storable import unescaped

BATCH = 200

_MEMORIES: LiteralString = """
SELECT prefix, key, value, created_at, updated_at FROM public.store
WHERE prefix = ANY(%(prefixes)s) AND (expires_at IS NULL OR expires_at > %(now)s)
  AND (prefix, key) > (%(after_prefix)s, %(after_key)s)
ORDER BY prefix, key LIMIT %(batch)s
"""
_CHANGES: LiteralString = """
SELECT id, at, kind, key, action, before, after, session_id, event_ids, origin, model FROM twofold.audit
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND id > %(after_id)s
ORDER BY id LIMIT %(batch)s
"""
_SESSIONS: LiteralString = """
SELECT session_label, session_id, accepted_at, revision, done_revision >= revision AS stored FROM twofold.inbox
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label > %(after_session_label)s
  AND NOT coalesce(expires_at <= %(now)s AND revision <= greatest(done_revision, failed_revision), false)
ORDER BY session_label LIMIT %(batch)s
"""
_ENTRIES: LiteralString = """
SELECT at, seq, entry FROM twofold.entry
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
  AND (at, seq) > (%(after_at)s::timestamptz, %(after_seq)s)
ORDER BY at, seq LIMIT %(batch)s
"""
_NO_ENTRY: dict[str, Any] = {"at": "-infinity", "seq": 0}


class Everything:
    """What is kept of one person at one time, read in batches of at most so many rows."""

    def __init__(self, pool: Pool, scope: Scope, now: datetime, batch: int = BATCH) -> None:
        """Use the pool on its event loop. What has expired by `now` is not kept."""
        self._pool = pool
        self._batch = batch
        self._person: dict[str, Any] = {**whose(scope), "prefixes": list(prefixes_of(scope)), "now": now}

    async def memories(self) -> AsyncGenerator[Memory, None]:
        """Yield the memories, by kind and key."""
        async with aclosing(self._batches(_MEMORIES, {"prefix": "", "key": ""})) as batches:
            async for rows in batches:
                for row in rows:
                    yield memory_of(StoreRow(**row))

    async def changes(self) -> AsyncGenerator[AuditEntry, None]:
        """Yield what was done to the memories, the oldest first."""
        async with aclosing(self._batches(_CHANGES, {"id": 0})) as batches:
            async for rows in batches:
                for row in rows:
                    yield with_session(AuditEntry(**{name: row[name] for name in row if name != "id"}))

    async def sessions(self) -> AsyncGenerator[SessionPart, None]:
        """Yield the accepted sessions, each in parts of as many entries as are read at once."""
        async with aclosing(self._batches(_SESSIONS, {"session_label": ""})) as batches:
            async for rows in batches:
                for row in rows:
                    async with aclosing(self._parts(row)) as parts:
                        async for part in parts:
                            yield part

    async def _parts(self, session: DictRow) -> AsyncGenerator[SessionPart, None]:
        async with aclosing(self._batches(_ENTRIES, _NO_ENTRY, session=session["session_label"])) as batches:
            async for rows in batches:
                yield SessionPart(
                    session_id=unescaped(session["session_id"]),
                    accepted_at=session["accepted_at"],
                    revision=session["revision"],
                    stored=session["stored"],
                    entries=[row["entry"] for row in rows],
                )

    async def _batches(
        self, statement: LiteralString, before: dict[str, Any], **chosen: object
    ) -> AsyncGenerator[list[DictRow], None]:
        """Yield the rows after `before`, which has the columns they are ordered by; at least one batch."""
        last = before
        while True:
            after = {f"after_{name}": last[name] for name in before}
            async with borrowed(self._pool) as connection:
                parameters = {**self._person, **chosen, **after, "batch": self._batch}
                rows = await (await connection.execute(statement, parameters)).fetchall()
            if rows or last is before:
                yield rows
            if len(rows) < self._batch:
                return
            last = rows[-1]

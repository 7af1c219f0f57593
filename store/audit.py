"""The history of every memory: what was done to it, its words before and after, and because of what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import LiteralString

from psycopg.rows import class_row

from twofold.memory.history import AuditEntry
from twofold.memory.memories import Save
from twofold.memory.scope import Scope, label
from twofold.store.labels import whose
from twofold.store.pool import Connection
from twofold.store.reconcile import Recorded
from twofold.store.storable import escaped, unescaped

_ADD: LiteralString = """
INSERT INTO twofold.audit (at, tenant_label, user_label, kind, key, action, before, after,
                           session_label, session_id, event_ids, origin, model, said_at)
VALUES (%(at)s, %(tenant)s, %(user)s, %(kind)s, %(key)s, %(action)s, %(before)s, %(after)s,
        %(session_label)s, %(session_id)s, %(event_ids)s, %(origin)s, %(model)s, %(said_at)s)
"""
_HISTORY: LiteralString = """
SELECT at, kind, key, action, before, after, session_id, event_ids, origin, model
FROM twofold.audit
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND (%(key)s::text IS NULL OR key = %(key)s)
ORDER BY id DESC LIMIT %(limit)s
"""


async def record(connection: Connection, save: Save, lines: Sequence[Recorded], now: datetime) -> None:
    """Add one entry for each thing that was done, NOOPs too."""
    person = whose(save.scope)
    entries = [
        {
            **person,
            "at": now,
            "kind": line.kind,
            "key": line.key,
            "action": line.action,
            "before": line.before,
            "after": line.after,
            "session_label": label(save.session_id),
            "session_id": escaped(save.session_id),
            "event_ids": list(line.source.event_ids),
            "origin": line.source.origin,
            "model": save.models.get(line.kind, ""),
            "said_at": line.source.at,
        }
        for line in lines
    ]
    if entries:
        async with connection.cursor() as cursor:
            await cursor.executemany(_ADD, entries)


async def history(connection: Connection, scope: Scope, key: str | None, limit: int) -> tuple[AuditEntry, ...]:
    """Return the newest entries of one memory, or of all of a person, the newest first."""
    async with connection.cursor(row_factory=class_row(AuditEntry)) as cursor:
        rows = await (await cursor.execute(_HISTORY, {**whose(scope), "key": key, "limit": limit})).fetchall()
    return tuple(with_session(row) for row in rows)


def with_session(entry: AuditEntry) -> AuditEntry:
    """Return an entry with its session's id as it was given."""
    return replace(entry, session_id=unescaped(entry.session_id))

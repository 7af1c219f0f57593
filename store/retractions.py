"""Which stored facts rest on events that were undone, and what is left of them."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Any, LiteralString

from psycopg.rows import class_row

from twofold.memory.history import AuditEntry
from twofold.memory.memories import Memory, Retraction
from twofold.memory.retraction import retraction
from twofold.memory.rewinds import Undone
from twofold.memory.scope import Scope
from twofold.store.audit import with_session
from twofold.store.labels import which
from twofold.store.pool import Connection
from twofold.store.rows import StoreRow, memory_of, prefix_of

# What is there rests on the session, what is not there any more has a change from these events.
_STORED: LiteralString = """
SELECT s.prefix, s.key, s.value, s.created_at, s.updated_at
FROM public.store s JOIN twofold.memory m USING (prefix, key)
WHERE s.prefix = %(prefix)s AND (s.expires_at IS NULL OR s.expires_at > %(now)s)
  AND (%(session)s = ANY(m.sessions) OR s.key IN (
        SELECT key FROM twofold.audit
        WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
          AND kind = 'semantic' AND event_ids && %(undone)s::text[]))
"""
_CHANGES: LiteralString = """
SELECT at, kind, key, action, before, after, session_id, event_ids, origin, model FROM twofold.audit
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND kind = 'semantic' AND key IN (
    SELECT key FROM twofold.audit
    WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
      AND kind = 'semantic' AND event_ids && %(undone)s::text[])
ORDER BY id
"""


async def retractions(
    connection: Connection, scope: Scope, session_id: str, undone: Undone, now: datetime
) -> tuple[Retraction, ...]:
    """Return what the facts are without what was undone of this session; none where nothing changes."""
    asked: dict[str, Any] = {
        **which(scope, session_id),
        "prefix": prefix_of(scope, "semantic"),
        "undone": sorted(undone.event_ids),
        "now": now,
    }
    async with connection.cursor(row_factory=class_row(StoreRow)) as cursor:
        rows = await (await cursor.execute(_STORED, asked)).fetchall()
    stored: dict[str, Memory] = {row.key: memory_of(row) for row in rows}
    async with connection.cursor(row_factory=class_row(AuditEntry)) as cursor:
        changes = await (await cursor.execute(_CHANGES, asked)).fetchall()
    histories: defaultdict[str, list[AuditEntry]] = defaultdict(list)
    for change in changes:
        histories[change.key].append(with_session(change))
    left = (
        retraction(key, stored.get(key), histories[key], session_id, undone)
        for key in sorted(stored.keys() | histories.keys())
    )
    return tuple(gone for gone in left if gone is not None)

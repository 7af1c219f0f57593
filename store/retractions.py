"""Which stored facts rest on events that were undone, and what is left of them."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Any, LiteralString

from psycopg.rows import class_row

from twofold.memory.history import AuditEntry
from twofold.memory.keys import fingerprint
from twofold.memory.memories import Memory, Retraction
from twofold.memory.retraction import retraction
from twofold.memory.rewinds import Undone
from twofold.memory.scope import Scope, label
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
SELECT coalesce(said_at, at) AS at, kind, key, action, before, after, session_id, event_ids, origin, model
FROM twofold.audit
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND kind = 'semantic' AND key IN (
    SELECT key FROM twofold.audit
    WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
      AND kind = 'semantic' AND event_ids && %(undone)s::text[])
ORDER BY id
"""
_HELD: LiteralString = """
SELECT fingerprint, sessions FROM twofold.memory
WHERE prefix = %(prefix)s AND kind = 'semantic' AND fingerprint = ANY(%(fingerprints)s)
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
    found = [gone for gone in left if gone is not None]
    back = [fingerprint(gone.text) for gone in found if gone.key not in stored and gone.text]
    held = await _sessions_of(connection, {**asked, "fingerprints": back}) if back else {}
    return tuple(gone for gone in found if gone.key in stored or not _is_back(gone, held))


async def _sessions_of(connection: Connection, asked: dict[str, Any]) -> dict[str, frozenset[str]]:
    """Return the sessions that facts of these words rest on."""
    rows = await (await connection.execute(_HELD, asked)).fetchall()
    return {row["fingerprint"]: frozenset(row["sessions"]) for row in rows}


def _is_back(gone: Retraction, held: dict[str, frozenset[str]]) -> bool:
    """Whether another fact has these words by now, and rests on all that this one did."""
    sessions = held.get(fingerprint(gone.text or ""))
    return sessions is not None and sessions.issuperset(label(source.session_id) for source in gone.sources)

"""How far a session's facts are stored, and what of it was erased."""

from __future__ import annotations

from datetime import datetime
from typing import LiteralString

from twofold.memory.memories import Progress
from twofold.memory.scope import Scope
from twofold.store.labels import which
from twofold.store.pool import Connection
from twofold.store.scopes import tombstones

_PROGRESS: LiteralString = """
SELECT coalesce((SELECT generation FROM twofold.scope
                 WHERE tenant_label = %(tenant)s AND user_label = %(user)s),
                (SELECT max(id) FROM twofold.tombstone
                 WHERE tenant_label = %(tenant)s AND user_label IS NULL)) AS generation,
       (SELECT event_ids FROM twofold.ledger
        WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
          AND (expires_at IS NULL OR expires_at > %(now)s)) AS event_ids
"""


async def progress(connection: Connection, scope: Scope, session_id: str, now: datetime) -> Progress:
    """Return what of this session is stored already. Events erased as facts count as stored."""
    row = await (await connection.execute(_PROGRESS, {**which(scope, session_id), "now": now})).fetchone()
    erased = await tombstones(connection, scope, session_id)
    stored = row or {"generation": None, "event_ids": None}
    buried = frozenset[str]().union(*(stone.event_ids for stone in erased if stone.kind != "episodic"))
    return Progress(
        generation=stored["generation"] or 0,
        seen_event_ids=buried | frozenset(stored["event_ids"] or ()),
        tombstones=erased,
    )

"""The row of one scope: whoever writes anything of a scope locks it first, so that nobody deadlocks."""

from __future__ import annotations

from datetime import datetime
from typing import LiteralString

from twofold.memory.scope import Scope
from twofold.memory.tombstones import Tombstone
from twofold.store.labels import which, whose
from twofold.store.pool import Connection

# Shared by all who write of somebody new to a tenant: an erase of the tenant waits for them, and they for it.
# In a statement of its own, since what comes after it must see the tombstone of that erase.
ANNOUNCE_NEWCOMER: LiteralString = (
    "SELECT pg_advisory_xact_lock_shared(hashtextextended('twofold.scope/' || %(tenant)s, 0))"
)
# Somebody new to a tenant that was erased starts at that erasure: a save that was prepared before it is out of date.
_CREATE: LiteralString = """
INSERT INTO twofold.scope (tenant_label, user_label, touched_on, generation)
SELECT %(tenant)s, %(user)s, %(today)s, coalesce(max(id), 0) FROM twofold.tombstone
WHERE tenant_label = %(tenant)s AND user_label IS NULL
ON CONFLICT DO NOTHING
"""
_LOCK: LiteralString = """
SELECT generation FROM twofold.scope WHERE tenant_label = %(tenant)s AND user_label = %(user)s FOR UPDATE
"""
# Several sessions of one person may be accepted at once, but not while that person is being erased.
_HOLD: LiteralString = """
SELECT generation FROM twofold.scope WHERE tenant_label = %(tenant)s AND user_label = %(user)s FOR KEY SHARE
"""
_RAISE: LiteralString = """
UPDATE twofold.scope SET generation = generation + 1
WHERE tenant_label = %(tenant)s AND user_label = %(user)s
"""
_TOMBSTONES: LiteralString = """
SELECT kind, before, event_ids FROM twofold.tombstone
WHERE tenant_label = %(tenant)s AND (user_label = %(user)s OR user_label IS NULL)
  AND (session_label IS NULL OR session_label = %(session)s)
"""


async def lock_scope(connection: Connection, scope: Scope, now: datetime) -> int:
    """Lock the scope until the end of the transaction and return its generation."""
    return await _taken(connection, scope, now, _LOCK)


async def hold_scope(connection: Connection, scope: Scope, now: datetime) -> None:
    """Keep the scope from being erased until the end of the transaction."""
    await _taken(connection, scope, now, _HOLD)


async def raise_generation(connection: Connection, scope: Scope) -> None:
    """Let whoever read the memories before see at the save that they changed."""
    await connection.execute(_RAISE, whose(scope))


async def tombstones(connection: Connection, scope: Scope, session_id: str) -> tuple[Tombstone, ...]:
    """Return what was erased of this session, of all sessions of its person, or of the whole tenant."""
    rows = await (await connection.execute(_TOMBSTONES, which(scope, session_id))).fetchall()
    return tuple(
        Tombstone(kind=row["kind"], before=row["before"], event_ids=frozenset(row["event_ids"])) for row in rows
    )


async def _taken(connection: Connection, scope: Scope, now: datetime, statement: LiteralString) -> int:
    person = whose(scope)
    row = await (await connection.execute(statement, person)).fetchone()
    if row is None:
        await connection.execute(ANNOUNCE_NEWCOMER, person)
        await connection.execute(_CREATE, {**person, "today": now.date()})
        row = await (await connection.execute(statement, person)).fetchone()
    return 0 if row is None else int(row["generation"])

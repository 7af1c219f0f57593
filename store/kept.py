"""Paid extractions, kept until their save is persisted."""

from __future__ import annotations

from datetime import timedelta
from typing import LiteralString

from twofold.memory.jsontypes import Json
from twofold.memory.memories import Part
from twofold.memory.ports import Clock
from twofold.memory.scope import Scope
from twofold.store.labels import which
from twofold.store.pool import Pool, borrowed, transaction
from twofold.store.scopes import hold_scope
from twofold.store.storable import checked_json

ERASING = timedelta(hours=1)
"""An extraction under way while its session is erased would end after it; none takes this long."""

_GET: LiteralString = """
SELECT result FROM twofold.kept
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
  AND part = %(part)s AND input_hash = %(input_hash)s
"""
_KEEP: LiteralString = """
INSERT INTO twofold.kept (tenant_label, user_label, session_label, part, input_hash, result, kept_at)
SELECT %(tenant)s, %(user)s, %(session)s, %(part)s, %(input_hash)s, %(result)s::jsonb, %(now)s
WHERE NOT EXISTS (
    SELECT 1 FROM twofold.tombstone
    WHERE tenant_label = %(tenant)s AND (user_label = %(user)s OR user_label IS NULL)
      AND (session_label IS NULL OR session_label = %(session)s) AND erased_at > %(erasing_since)s)
ON CONFLICT (tenant_label, user_label, session_label, part) DO UPDATE
SET input_hash = excluded.input_hash, result = excluded.result, kept_at = excluded.kept_at
"""


class PostgresKept:
    """The port `KeptExtractions` on Postgres."""

    def __init__(self, pool: Pool, *, clock: Clock) -> None:
        """Use the pool on its event loop."""
        self._pool = pool
        self._clock = clock

    async def get(self, scope: Scope, session_id: str, part: Part, input_hash: str) -> Json:
        """Return what was kept for exactly this input, else None."""
        wanted = {**which(scope, session_id), "part": part, "input_hash": input_hash}
        async with borrowed(self._pool) as connection:
            row = await (await connection.execute(_GET, wanted)).fetchone()
        result: Json = None if row is None else row["result"]
        return result

    async def keep(self, scope: Scope, session_id: str, part: Part, input_hash: str, result: Json) -> None:
        """Keep a result; replaces one for another input of the same part.

        Nothing is kept within an hour of erasing something of this session: the retry pays again. Raises
        InvalidInput for what Postgres cannot keep.
        """
        now = self._clock.now()
        kept = {
            **which(scope, session_id),
            "part": part,
            "input_hash": input_hash,
            "result": checked_json("result", result),
            "now": now,
            "erasing_since": now - ERASING,
        }
        async with transaction(self._pool) as connection:
            await hold_scope(connection, scope, now)  # an erase under way would not see it, nor it the tombstone
            await connection.execute(_KEEP, kept)

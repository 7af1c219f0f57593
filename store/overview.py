"""What the operator of a database looks at: people, workers, keys by their beginning. Changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from psycopg.rows import class_row

from twofold.memory.ports import Clock
from twofold.memory.scope import Scope
from twofold.store import people
from twofold.store.labels import whose
from twofold.store.people import Pause, Person
from twofold.store.pool import Pool, borrowed
from twofold.store.rows import prefixes_of
from twofold.store.worker import STALLED_SECONDS

_WORKERS: LiteralString = """
SELECT count(*) FILTER (WHERE last_heartbeat > now() - make_interval(secs => %(live)s)) AS live,
       max(last_heartbeat) AS last_heartbeat
FROM twofold.procrastinate_workers
"""
# Also those of memories that are gone, whose history is there for a while.
_KEYS: LiteralString = """
SELECT DISTINCT key FROM (
    SELECT key FROM public.store WHERE prefix = ANY(%(prefixes)s) AND starts_with(key, %(start)s)
    UNION ALL
    SELECT key FROM twofold.audit
    WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND starts_with(key, %(start)s)
) known ORDER BY key LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workers:
    """How many workers live, on all machines, and when one was last heard of."""

    live: int
    last_heartbeat: datetime | None


class Overview:
    """Reads about everyone at once, for those who run the database."""

    def __init__(self, pool: Pool, *, clock: Clock) -> None:
        """Use the pool on its event loop."""
        self._pool = pool
        self._clock = clock

    async def people(
        self, *, tenant_id: str | None = None, user_id: str | None = None, limit: int = 1000
    ) -> tuple[Person, ...]:
        """Return the people of whom there is anything, the last used first; of a tenant, of a user id, or all."""
        async with borrowed(self._pool) as connection:
            return await people.people(
                connection, tenant_id=tenant_id, user_id=user_id, now=self._clock.now(), limit=limit
            )

    async def long_pauses(self, longer_than: float) -> tuple[Pause, ...]:
        """Return those who usually say nothing for longer than so many days, the longest first."""
        async with borrowed(self._pool) as connection:
            return await people.long_pauses(connection, longer_than)

    async def workers(self) -> Workers:
        """Count the workers that live."""
        async with borrowed(self._pool) as connection, connection.cursor(row_factory=class_row(Workers)) as cursor:
            found = await (await cursor.execute(_WORKERS, {"live": STALLED_SECONDS})).fetchone()
        return found or Workers(live=0, last_heartbeat=None)

    async def keys_beginning(self, scope: Scope, start: str, *, limit: int = 10) -> tuple[str, ...]:
        """Return the keys of a person's memories, and of those that are gone, that begin so."""
        chosen = {**whose(scope), "prefixes": list(prefixes_of(scope)), "start": start, "limit": limit}
        async with borrowed(self._pool) as connection:
            rows = await (await connection.execute(_KEYS, chosen)).fetchall()
        return tuple(row["key"] for row in rows)

"""When memories expire: a number of days after their person last saved or recalled anything."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import LiteralString

from twofold.memory.ports import Clock
from twofold.memory.scope import Scope
from twofold.store.labels import whose
from twofold.store.pool import Connection, Pool, own_path, transaction
from twofold.store.rows import prefixes_of

BATCH = 500
MOST_BATCHES = 200
KEPT_DAYS = 7
"""How long a paid extraction is kept: the retries of a save end after an hour, its operator may take days."""
SETTLED_HOURS = 1
"""How long after its session is stored: no save that goes on beside another one takes as long."""

_MINUTES_A_DAY = 24 * 60
_NEVER = datetime(1, 1, 1, tzinfo=UTC)

# At most once a day, by the one caller that wins this row.
_WIN: LiteralString = """
UPDATE twofold.scope SET touched_on = %(today)s
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND touched_on < %(today)s
"""
# Rows without a time limit were stored so by the host; what has expired stays expired.
_REDATE_MEMORIES: LiteralString = """
UPDATE public.store SET expires_at = %(expires_at)s, ttl_minutes = %(minutes)s
WHERE prefix = ANY(%(prefixes)s) AND expires_at > %(now)s
"""
_REDATE: tuple[LiteralString, ...] = (
    _REDATE_MEMORIES,
    """
UPDATE twofold.inbox SET expires_at = %(expires_at)s
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND expires_at > %(now)s
""",
    """
UPDATE twofold.ledger SET expires_at = %(expires_at)s
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND expires_at > %(now)s
""",
)

_SWEEP: tuple[LiteralString, ...] = (
    """
DELETE FROM public.store WHERE (prefix, key) IN (
    SELECT prefix, key FROM public.store
    WHERE expires_at <= %(now)s ORDER BY expires_at LIMIT %(batch)s FOR UPDATE SKIP LOCKED)
""",
    # What still waits to be stored never expires.
    """
DELETE FROM twofold.inbox WHERE (tenant_label, user_label, session_label) IN (
    SELECT tenant_label, user_label, session_label FROM twofold.inbox
    WHERE expires_at <= %(now)s AND revision <= greatest(done_revision, failed_revision)
    ORDER BY expires_at LIMIT %(batch)s FOR UPDATE SKIP LOCKED)
""",
    """
DELETE FROM twofold.ledger WHERE (tenant_label, user_label, session_label) IN (
    SELECT tenant_label, user_label, session_label FROM twofold.ledger
    WHERE expires_at <= %(now)s ORDER BY expires_at LIMIT %(batch)s FOR UPDATE SKIP LOCKED)
""",
    """
DELETE FROM twofold.kept WHERE (tenant_label, user_label, session_label, part) IN (
    SELECT tenant_label, user_label, session_label, part FROM twofold.kept
    WHERE kept_at <= %(kept_before)s ORDER BY kept_at LIMIT %(batch)s FOR UPDATE SKIP LOCKED)
""",
    # What a worker kept that was taken for dead and went on while another one finished its save.
    """
DELETE FROM twofold.kept WHERE (tenant_label, user_label, session_label, part) IN (
    SELECT k.tenant_label, k.user_label, k.session_label, k.part
    FROM twofold.kept k JOIN twofold.inbox i USING (tenant_label, user_label, session_label)
    WHERE k.kept_at <= %(settled_before)s AND i.done_revision >= i.revision
    ORDER BY k.kept_at LIMIT %(batch)s FOR UPDATE OF k SKIP LOCKED)
""",
    # A memory's history lives as long as it does, and then as long again, so that a deletion can be explained.
    """
DELETE FROM twofold.audit WHERE id IN (
    SELECT a.id FROM twofold.audit a
    WHERE a.at <= %(idle_before)s AND NOT EXISTS (
        SELECT 1 FROM public.store s
        WHERE s.prefix = a.tenant_label || '.' || a.kind || '.' || a.user_label AND s.key = a.key)
    ORDER BY a.id LIMIT %(batch)s FOR UPDATE SKIP LOCKED)
""",
    # Dead letters whose session has expired.
    """
DELETE FROM twofold.procrastinate_jobs WHERE id IN (
    SELECT j.id FROM twofold.procrastinate_jobs j
    WHERE j.status IN ('failed', 'aborted', 'cancelled') AND j.queue_name = 'twofold' AND NOT EXISTS (
        SELECT 1 FROM twofold.inbox i
        WHERE i.tenant_id = j.args ->> 'tenant_id' AND i.user_id = j.args ->> 'user_id'
          AND i.session_id = j.args ->> 'session_id')
    ORDER BY j.id LIMIT %(batch)s FOR UPDATE SKIP LOCKED)
""",
    # People of whom nothing is left; a tombstone keeps its scope, since a session may be handed over again.
    """
DELETE FROM twofold.scope WHERE (tenant_label, user_label) IN (
    SELECT s.tenant_label, s.user_label FROM twofold.scope s
    WHERE s.touched_on < %(idle_before)s::date
      AND NOT EXISTS (SELECT 1 FROM twofold.inbox t
                      WHERE t.tenant_label = s.tenant_label AND t.user_label = s.user_label)
      AND NOT EXISTS (SELECT 1 FROM twofold.ledger t
                      WHERE t.tenant_label = s.tenant_label AND t.user_label = s.user_label)
      AND NOT EXISTS (SELECT 1 FROM twofold.tombstone t
                      WHERE t.tenant_label = s.tenant_label AND t.user_label = s.user_label)
      AND NOT EXISTS (SELECT 1 FROM public.store t
                      WHERE t.prefix = ANY(ARRAY[s.tenant_label || '.semantic.' || s.user_label,
                                                 s.tenant_label || '.episodic.' || s.user_label]))
    LIMIT %(batch)s FOR UPDATE SKIP LOCKED)
""",
)


def expiry(now: datetime, ttl_days: int | None) -> datetime | None:
    """Return when something used `now` expires, None for never."""
    return None if ttl_days is None else now + timedelta(days=ttl_days)


def ttl_minutes(ttl_days: int | None) -> int | None:
    """Return the time to live in LangGraph's unit."""
    return None if ttl_days is None else ttl_days * _MINUTES_A_DAY


async def touch_within(connection: Connection, scope: Scope, now: datetime, ttl_days: int | None) -> bool:
    """Re-date, in the caller's transaction, all that is unexpired of a scope; False if it was done today."""
    person = whose(scope)
    won = await connection.execute(_WIN, {**person, "today": now.date()})
    if not won.rowcount:
        return False
    dates = {
        **person,
        "now": now,
        "expires_at": expiry(now, ttl_days),
        "minutes": ttl_minutes(ttl_days),
        "prefixes": list(prefixes_of(scope)),
    }
    for statement in _REDATE:
        await connection.execute(statement, dates)
    return True


class Expiry:
    """Keeps what is used and deletes what is not."""

    def __init__(self, pool: Pool, *, ttl_days: int | None, clock: Clock) -> None:
        """Use the pool on its event loop. `ttl_days` None = nothing expires."""
        self._pool = pool
        self._ttl_days = ttl_days
        self._clock = clock

    async def touch(self, scope: Scope) -> bool:
        """Re-date all that is unexpired of a scope; at most once a day, and False if it was done before."""
        async with transaction(self._pool) as connection:
            return await touch_within(connection, scope, self._clock.now(), self._ttl_days)

    async def sweep(self) -> int:
        """Delete what has expired, a few hundred rows a statement, and return how many rows that were."""
        now = self._clock.now()
        bounds = {
            "now": now,
            "batch": BATCH,
            "kept_before": now - timedelta(days=KEPT_DAYS),
            "settled_before": now - timedelta(hours=SETTLED_HOURS),
            "idle_before": _NEVER if self._ttl_days is None else now - timedelta(days=self._ttl_days),
        }
        return sum([await self._sweep(statement, bounds) for statement in _SWEEP])

    async def _sweep(self, statement: LiteralString, bounds: dict[str, object]) -> int:
        deleted = 0
        for _ in range(MOST_BATCHES):
            async with transaction(self._pool) as connection:
                await own_path(connection)  # deleting a job runs a trigger of procrastinate's
                batch = (await connection.execute(statement, bounds)).rowcount
            deleted += batch
            if batch < BATCH:
                break
        return deleted

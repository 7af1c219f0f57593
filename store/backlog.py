"""The accepted sessions that are not stored yet: how many and which, hurrying, dropping and awaiting them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from psycopg.rows import class_row

from twofold.memory.scope import Scope, label
from twofold.store import jobs
from twofold.store.inbox_rows import PENDING, STATE, TRY_ANEW, WAITING, Pending, SessionState, WaitingRow
from twofold.store.jobs import Job, JobFilter
from twofold.store.labels import which, whose
from twofold.store.pool import Connection, Pool, borrowed, transaction
from twofold.store.queue import URGENT, Queue
from twofold.store.storable import unescaped

_FIRST_PAUSE = 0.01
_LONGEST_PAUSE = 0.25
_GROWTH = 1.5


class Backlog:
    """What the inbox still has to do, of one session, of one person or of all."""

    def __init__(self, pool: Pool, queue: Queue) -> None:
        """Use the pool on its event loop."""
        self._pool = pool
        self._queue = queue

    async def pending(self, scope: Scope | None = None, *, tenants: Collection[str] | None = None) -> Pending:
        """Count what waits and what was given up, with what failed last; of `tenants` only, where they are given."""
        async with (
            borrowed(self._pool) as connection,
            connection.cursor(row_factory=class_row(Pending)) as cursor,
        ):
            found = await (await cursor.execute(PENDING, _chosen(scope, None, tenants))).fetchone()
        if found is None or found.failing_session is None:
            return found or Pending(waiting=0, failed=0, oldest_at=None)
        return replace(found, failing_session=unescaped(found.failing_session))

    async def jobs(self, chosen: JobFilter, *, limit: int) -> tuple[Job, ...]:
        """Return at most `limit` saves that are not done, those accepted first before the others."""
        async with borrowed(self._pool) as connection:
            return await jobs.listed(connection, chosen, limit)

    async def drop(self, scope: Scope, session_id: str) -> bool:
        """Let a save that was given up be: it is tried no more and counts no more. False if there is none.

        What was accepted of the session stays until it expires or is erased; a session that goes on is saved anew.
        """
        async with transaction(self._pool) as connection:
            dropped = await jobs.drop(connection, scope, session_id)
            if dropped:
                await self._queue.discard_failed(connection, scope, session_id)
        return dropped

    async def hurry(self, scope: Scope | None = None, session_id: str | None = None) -> int:
        """Queue what waits as due now and before everything else; return how many sessions that are."""
        async with transaction(self._pool) as connection:
            return await self._hurry(connection, _chosen(scope, session_id, None))

    async def try_anew(
        self, scope: Scope | None = None, session_id: str | None = None, *, tenants: Collection[str] | None = None
    ) -> int:
        """Hurry what waits and also what was given up; return how many sessions that are.

        Of `tenants` only, where they are given.
        """
        chosen = _chosen(scope, session_id, tenants)
        async with transaction(self._pool) as connection:
            await connection.execute(TRY_ANEW, chosen)
            return await self._hurry(connection, chosen)

    async def wait_done(self, scope: Scope, session_id: str, revision: int, timeout: float) -> bool:
        """Wait until the revision is stored or the session erased.

        False after `timeout` seconds, and at once if it was given up.
        """
        deadline, pause = time.monotonic() + timeout, _FIRST_PAUSE
        while True:
            state = await self._state(scope, session_id)
            if state is None or state.done(revision):
                return True
            left = deadline - time.monotonic()
            if state.given_up(revision) or left <= 0:
                return False
            await asyncio.sleep(min(pause, left))
            pause = min(pause * _GROWTH, _LONGEST_PAUSE)

    async def _hurry(self, connection: Connection, chosen: dict[str, Any]) -> int:
        async with connection.cursor(row_factory=class_row(WaitingRow)) as cursor:
            rows = await (await cursor.execute(WAITING, chosen)).fetchall()
        for row in rows:
            owner = Scope(tenant_id=unescaped(row.tenant_id), user_id=unescaped(row.user_id))
            session = unescaped(row.session_id)
            # One job in the place of all that wait; of what is accepted at this moment, its own stays.
            await self._queue.discard(connection, owner, session, up_to=row.revision)
            await self._queue.defer(connection, owner, session, row.revision, after=0, priority=URGENT)
        return len(rows)

    async def _state(self, scope: Scope, session_id: str) -> SessionState | None:
        async with (
            borrowed(self._pool) as connection,
            connection.cursor(row_factory=class_row(SessionState)) as cursor,
        ):
            return await (await cursor.execute(STATE, which(scope, session_id))).fetchone()


def _chosen(scope: Scope | None, session_id: str | None, tenants: Collection[str] | None) -> dict[str, Any]:
    labels = None if tenants is None else [label(tenant) for tenant in tenants]
    if scope is None:
        return {"tenant": None, "user": None, "session": None, "tenants": labels}
    if session_id is None:
        return {**whose(scope), "session": None, "tenants": labels}
    return {**which(scope, session_id), "tenants": labels}

"""The durable queue of saves: one job an accepted revision, one person's jobs one after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import ConnectorException
from psycopg.types.json import Jsonb

from twofold.memory.scope import Scope, label
from twofold.store.pool import Connection, own_path
from twofold.store.queue_log import quiet
from twofold.store.storable import escaped

TASK = "twofold.save_session"
QUEUE = "twofold"
URGENT = 10
"""Above the 0 of ordinary jobs: procrastinate runs the jobs of one lock by priority, then in order.

A job that is due in the future holds up those of lower priority, and the later ones of its own."""
ORDINARY = 0
BACKFILL = -20
"""Below ordinary jobs and their retries, -1 to -10: what was said long ago may wait for what is said today."""
REMAINDER = -40
"""Below a backfill's jobs and their retries, -21 to -30: for a session of which the rest may not come."""

_DEAD = ("failed", "cancelled", "aborted")
_DELETE = """
DELETE FROM twofold.procrastinate_jobs
WHERE lock = ANY(%(locks)s) AND queue_name = %(queue)s
  AND status = ANY(%(statuses)s::twofold.procrastinate_job_status[])
  AND (%(only)s::jsonb IS NULL OR args @> %(only)s::jsonb)
  AND (%(up_to)s::int IS NULL OR (args ->> 'revision')::int <= %(up_to)s)
"""


class Queue:
    """Adds jobs to, and takes them from, the caller's own transaction."""

    def __init__(self) -> None:
        """Take nothing: every call brings its connection."""
        quiet()
        self._app = App(connector=PsycopgConnector())

    async def defer(
        self,
        connection: Connection,
        scope: Scope,
        session_id: str,
        revision: int,
        *,
        after: float,
        priority: int,
    ) -> None:
        """Queue the save of a revision, due `after` so many seconds, in the transaction of `connection`.

        No queueing lock: with one, a job that failed could not go back to waiting while a newer one does, and
        that person would be stuck.
        """
        await own_path(connection)
        job = self._app.configure_task(
            TASK,
            queue=QUEUE,
            lock=lock_of(scope),
            schedule_in={"seconds": after} if after > 0 else None,
            priority=priority,
            connection=connection,
        )
        try:
            await job.defer_async(**job_arguments(scope, session_id), revision=revision)
        except ConnectorException as error:
            raise error.__cause__ or error from None  # the driver's error, which is told where it is borrowed

    async def discard(
        self, connection: Connection, scope: Scope, session_id: str | None = None, *, up_to: int | None = None
    ) -> int:
        """Delete the jobs of a session, or of a person, that do not run; return how many.

        Where `up_to` is given, those of later revisions stay.
        """
        return await self._delete(connection, [lock_of(scope)], session_id, [*_DEAD, "todo"], up_to)

    async def discard_people(self, connection: Connection, locks: Sequence[str]) -> int:
        """Delete the jobs of the people of these locks that do not run; return how many."""
        return await self._delete(connection, locks, None, [*_DEAD, "todo"])

    async def discard_failed(self, connection: Connection, scope: Scope, session_id: str) -> int:
        """Delete the dead letters of a session; return how many."""
        return await self._delete(connection, [lock_of(scope)], session_id, [*_DEAD])

    async def _delete(
        self,
        connection: Connection,
        locks: Sequence[str],
        session_id: str | None,
        statuses: list[str],
        up_to: int | None = None,
    ) -> int:
        await own_path(connection)
        only = None if session_id is None else Jsonb({"session_id": escaped(session_id)})
        chosen: dict[str, Any] = {"locks": list(locks), "queue": QUEUE, "statuses": statuses}
        chosen |= {"only": only, "up_to": up_to}
        return (await connection.execute(_DELETE, chosen)).rowcount


def lock_of(scope: Scope) -> str:
    """Return the lock by which one person's jobs run one at a time."""
    return lock_named(label(scope.tenant_id), label(scope.user_id))


def lock_named(tenant_label: str, user_label: str) -> str:
    """Return the lock of the person of these labels. Labels hold no slash."""
    return f"{tenant_label}/{user_label}"


def job_arguments(scope: Scope, session_id: str) -> dict[str, str]:
    """Return whose session a job saves, in a form that JSON and Postgres can hold."""
    return {
        "tenant_id": escaped(scope.tenant_id),
        "user_id": escaped(scope.user_id),
        "session_id": escaped(session_id),
    }

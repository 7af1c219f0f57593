"""The accepted sessions whose save is not done, one by one, and dropping one that was given up."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, LiteralString, TypeAlias

from twofold.memory.scope import Scope, label
from twofold.store.labels import which
from twofold.store.pool import Connection
from twofold.store.queue import QUEUE
from twofold.store.storable import unescaped

JobState: TypeAlias = Literal["waiting", "running", "failed"]

DROPPED = "dropped by hand after its save had failed"

_LIST: LiteralString = """
SELECT i.tenant_id, i.user_id, i.session_id, i.revision, i.accepted_at, i.error AS cause, i.failed_at,
       CASE WHEN i.revision <= i.failed_revision THEN 'failed'
            WHEN q.running THEN 'running' ELSE 'waiting' END AS state,
       coalesce(q.attempts, 0) AS attempts,
       q.due_at
FROM twofold.inbox i LEFT JOIN (
    SELECT args ->> 'tenant_id' AS tenant_id, args ->> 'user_id' AS user_id, args ->> 'session_id' AS session_id,
           bool_or(status = 'doing') AS running,
           max(attempts) AS attempts,
           min(scheduled_at) FILTER (WHERE status = 'todo') AS due_at
    FROM twofold.procrastinate_jobs WHERE queue_name = %(queue)s GROUP BY 1, 2, 3
) q USING (tenant_id, user_id, session_id)
WHERE i.revision > i.done_revision
  AND (%(tenant)s::text IS NULL OR i.tenant_label = %(tenant)s)
  AND (%(user)s::text IS NULL OR i.user_label = %(user)s)
  AND (%(session)s::text IS NULL OR i.session_label = %(session)s)
  AND (NOT %(failed)s OR i.revision <= i.failed_revision)
ORDER BY i.accepted_at, i.session_id LIMIT %(limit)s
"""
# Done, so that nobody tries it again; what the session says later is a new revision, and is saved.
_DROP: LiteralString = """
UPDATE twofold.inbox SET done_revision = revision, reason = %(reason)s
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
  AND revision > done_revision AND revision <= failed_revision
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The save of one accepted session, not done: `cause` says why the last of its `attempts` failed, at `failed_at`.

    `due_at` is when the next attempt is due, None for at once, or for never.
    """

    scope: Scope
    session_id: str
    revision: int
    state: JobState
    attempts: int
    accepted_at: datetime
    due_at: datetime | None
    cause: str
    failed_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFilter:
    """Which jobs: of a tenant, a user, a session; only those that were given up."""

    tenant_id: str | None = None
    user_id: str | None = None
    session_id: str | None = None
    failed: bool = False


async def listed(connection: Connection, chosen: JobFilter, limit: int) -> tuple[Job, ...]:
    """Return the saves that are not done, those accepted first before the others."""
    parameters: dict[str, Any] = {
        "tenant": _label(chosen.tenant_id),
        "user": _label(chosen.user_id),
        "session": _label(chosen.session_id),
        "failed": chosen.failed,
        "queue": QUEUE,
        "limit": limit,
    }
    rows = await (await connection.execute(_LIST, parameters)).fetchall()
    return tuple(_job(row) for row in rows)


async def drop(connection: Connection, scope: Scope, session_id: str) -> bool:
    """Let a save that was given up count as done; False if there is none of this session."""
    noted = {**which(scope, session_id), "reason": DROPPED}
    return bool((await connection.execute(_DROP, noted)).rowcount)


def _label(identifier: str | None) -> str | None:
    return None if identifier is None else label(identifier)


def _job(row: dict[str, Any]) -> Job:
    return Job(
        scope=Scope(tenant_id=unescaped(row["tenant_id"]), user_id=unescaped(row["user_id"])),
        session_id=unescaped(row["session_id"]),
        revision=row["revision"],
        state=row["state"],
        attempts=row["attempts"],
        accepted_at=row["accepted_at"],
        due_at=row["due_at"],
        cause=row["cause"],
        failed_at=row["failed_at"],
    )

"""Give back the jobs of workers that died, and of attempts whose end could not be noted."""

from __future__ import annotations

import logging
from collections.abc import Collection
from typing import LiteralString

from twofold.memory.retry import MOST_ATTEMPTS
from twofold.memory.scope import Scope
from twofold.store.inbox import Inbox
from twofold.store.pool import Pool, borrowed
from twofold.store.queue import QUEUE
from twofold.store.storable import unescaped

logger = logging.getLogger(__name__)

_BEAT: LiteralString = """
UPDATE twofold.procrastinate_workers SET last_heartbeat = now() WHERE id = %(worker)s
"""
_OWN: LiteralString = """
SELECT id FROM twofold.procrastinate_jobs WHERE status = 'doing' AND worker_id = %(worker)s
"""
# In one statement, so that two workers do not give back one job twice. Whatever kills its process each time
# is given up like what fails each time.
_GIVE_BACK: LiteralString = """
UPDATE twofold.procrastinate_jobs j
SET status = CASE WHEN attempts + 1 >= %(most)s THEN 'failed' ELSE 'todo'
             END::twofold.procrastinate_job_status,
    attempts = attempts + 1, worker_id = NULL, scheduled_at = NULL
WHERE j.status = 'doing' AND j.queue_name = %(queue)s AND j.id <> ALL(%(running)s::bigint[])
  AND (j.id = ANY(%(lost)s::bigint[]) OR NOT EXISTS (
        SELECT 1 FROM twofold.procrastinate_workers w
        WHERE w.id = j.worker_id AND w.last_heartbeat > now() - make_interval(secs => %(stalled_after)s)))
RETURNING status::text, args
"""


class Rescue:
    """What each worker does for all: at every heartbeat it looks for jobs that nobody works on."""

    def __init__(self, pool: Pool, inbox: Inbox, *, stalled_after: float) -> None:
        """Take a worker without a heartbeat for `stalled_after` seconds for dead."""
        self._pool = pool
        self._inbox = inbox
        self._stalled_after = stalled_after
        self._missing: set[int] = set()

    async def beat(self, worker: int | None, running: Collection[int]) -> None:
        """Note that this worker lives, and give back what others left.

        `running` are the jobs it works on. One that the database takes to be ours, but that is not among them
        at two heartbeats, is one whose end or whose start was lost with a connection.
        """
        async with borrowed(self._pool) as connection:
            await connection.execute(_BEAT, {"worker": worker})
            rows = await (await connection.execute(_OWN, {"worker": worker})).fetchall()
            missing = {int(row["id"]) for row in rows} - set(running)
            lost, self._missing = missing & self._missing, missing
            given_back = await connection.execute(
                _GIVE_BACK,
                {
                    "queue": QUEUE,
                    "most": MOST_ATTEMPTS,
                    "lost": sorted(lost),
                    "running": sorted(running),
                    "stalled_after": self._stalled_after,
                },
            )
            jobs = await given_back.fetchall()
        for job in jobs:
            await self._tell(job["status"], job["args"])

    async def _tell(self, status: str, arguments: dict[str, str]) -> None:
        scope = Scope(tenant_id=unescaped(arguments["tenant_id"]), user_id=unescaped(arguments["user_id"]))
        session, revision = unescaped(arguments["session_id"]), int(arguments["revision"])
        logger.warning("The save of session %s was interrupted and is taken up again", session)
        if status == "failed":
            cause = f"its process ended in each of {MOST_ATTEMPTS} attempts"
            await self._inbox.mark_failed(scope, session, revision, cause, final=True)

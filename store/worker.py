"""The worker: takes jobs from the queue and has the session of each saved, whatever dies in between."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeAlias

from procrastinate import App, JobContext, PsycopgConnector
from procrastinate.exceptions import ConnectorException

from twofold import telemetry
from twofold.memory.errors import StoreUnavailable, TwofoldError
from twofold.memory.scope import Scope
from twofold.store.attempts import Retry, cause_of, despite_conflicts, is_last, told_attempt
from twofold.store.eager_worker import EagerWorker
from twofold.store.inbox import Inbox
from twofold.store.pool import OWN_FIRST, Pool, open_pool
from twofold.store.queue import QUEUE, TASK
from twofold.store.queue_log import quiet
from twofold.store.rescue import Rescue
from twofold.store.storable import unescaped

logger = logging.getLogger(__name__)

Handler: TypeAlias = Callable[[Scope, str, int], Awaitable[None]]
"""Saves a session as far as it is now: `(scope, session_id, revision)`. It marks the inbox done or raises."""

CONCURRENCY = 2
GRACE_SECONDS = 5.0
HEARTBEAT_SECONDS = 3.0
STALLED_SECONDS = 12.0
"""Four heartbeats. A job is taken up again at most this and a heartbeat after its process died."""
POLL_SECONDS = 1.0
_RESTART_SECONDS = (1.0, 2.0, 5.0, 10.0)
_STUBBORN_SECONDS = 2.0


class Worker:
    """Runs jobs until it is stopped; survives the loss of the database."""

    def __init__(
        self,
        url: str,
        inbox: Inbox,
        handler: Handler,
        *,
        concurrency: int = CONCURRENCY,
        grace: float = GRACE_SECONDS,
    ) -> None:
        """Take the database and what saves a session. Call `run` on the loop that the handler belongs to.

        `grace` is how many seconds a stop waits for running jobs; then they are given back.
        """
        self._url = url
        self._inbox = inbox
        self._handler = handler
        self._concurrency = concurrency
        self._grace = grace
        self._running: set[int] = set()
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Take no more jobs, and let `run` return when those that run are done or given back."""
        self._stopping.set()

    async def run(self) -> None:
        """Work until `stop` is called; to cancel it stops it too. Starts anew when the database comes back."""
        quiet()
        failures = 0
        while not self._stopping.is_set():
            try:
                await self._work()
                failures = 0
            except Exception as error:
                pause = _RESTART_SECONDS[min(failures, len(_RESTART_SECONDS) - 1)]
                failures += 1
                expected = isinstance(error, StoreUnavailable | ConnectorException)
                logger.warning("The save queue stopped (%s); next try in %.0f s", error, pause, exc_info=not expected)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stopping.wait(), pause)

    async def _work(self) -> None:
        pool = await open_pool(self._url, max_size=self._concurrency + 2, search_path=OWN_FIRST)
        try:
            app = App(connector=PsycopgConnector())
            app.task(name=TASK, queue=QUEUE, pass_context=True, retry=Retry())(self._save)
            async with app.open_async(pool):
                await self._work_with(app, pool)
        finally:
            await pool.close(timeout=_STUBBORN_SECONDS)

    async def _work_with(self, app: App, pool: Pool) -> None:
        worker = EagerWorker(
            app,
            queues=[QUEUE],
            name="twofold",
            concurrency=self._concurrency,
            fetch_job_polling_interval=POLL_SECONDS,
            shutdown_graceful_timeout=self._grace,
            delete_jobs="successful",
            install_signal_handlers=False,
            update_heartbeat_interval=HEARTBEAT_SECONDS,
            stalled_worker_timeout=STALLED_SECONDS,
        )
        rescue = Rescue(pool, self._inbox, stalled_after=STALLED_SECONDS)
        working = asyncio.create_task(worker.run(), name="twofold-worker")  # type: ignore[no-untyped-call]
        others = {
            asyncio.create_task(self._stopping.wait(), name="twofold-stop"),
            asyncio.create_task(self._beat(worker, rescue), name="twofold-heartbeat"),
        }
        try:
            await asyncio.wait({working, *others}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            worker.stop()  # type: ignore[no-untyped-call]
            for other in others:
                other.cancel()
            # A save that does not let itself be cancelled must not hold up the process: it is taken up later.
            await asyncio.wait({working, *others}, timeout=self._grace + _STUBBORN_SECONDS)
        if working.done():
            working.result()
        else:
            working.add_done_callback(_let_be)
            logger.warning("A save does not end; it is taken up again later")

    async def _beat(self, worker: EagerWorker, rescue: Rescue) -> None:
        """Tell the others that this worker lives, and take care of what dead ones left."""
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            try:
                await rescue.beat(worker.worker_id, self._running)
            except TwofoldError as error:
                logger.warning("No heartbeat: %s", error)

    async def _save(self, context: JobContext, *, tenant_id: str, user_id: str, session_id: str, revision: int) -> None:
        scope = Scope(tenant_id=unescaped(tenant_id), user_id=unescaped(user_id))
        session, job = unescaped(session_id), context.job
        if job.id is not None:
            self._running.add(job.id)
        try:
            state = await self._inbox.state(scope, session)
            if state is not None and not state.done(revision):
                began = time.monotonic()
                with telemetry.saving(job.attempts + 1, is_last=lambda error: is_last(error, job.attempts)):
                    await despite_conflicts(lambda: self._handler(scope, session, revision))
                took = time.monotonic() - began
                logger.info("Session %s is saved (attempt %d, %.1f s)", session_id, job.attempts + 1, took)
        except Exception as error:
            final = is_last(error, job.attempts)
            logger.log(
                logging.ERROR if final else logging.WARNING,
                "Session %s is not saved (%s)",
                session_id,
                told_attempt(error, job.attempts),
                exc_info=logger.isEnabledFor(logging.DEBUG),
            )
            await self._inbox.mark_failed(scope, session, revision, cause_of(error), final=final)
            raise
        finally:
            self._running.discard(job.id or 0)


def _let_be(ended: asyncio.Task[None]) -> None:
    """Take note of how a worker ended that nobody waits for any more: its pool is closed by then."""
    if not ended.cancelled() and (error := ended.exception()) is not None:
        logger.info("The save that did not end has ended (%s)", type(error).__name__)

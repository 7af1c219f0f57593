"""procrastinate's worker, looking for the next job as soon as one has ended."""

from __future__ import annotations

from typing import Any

from procrastinate.worker import Worker


class EagerWorker(Worker):
    """One person's jobs wait for each other, and nothing announces that the one before has ended.

    Without this the next one is found when the queue is polled: one save a second and person.
    """

    _ended = False

    async def _persist_job_status(self, *given: Any, **named: Any) -> None:
        await super()._persist_job_status(*given, **named)
        self._ended = True
        self._new_job_event.set()

    async def _fetch_and_process_jobs(self) -> None:
        self._ended = True
        while self._ended:  # one that ends meanwhile may free another that was just not to be had
            self._ended = False
            await super()._fetch_and_process_jobs()  # type: ignore[no-untyped-call]

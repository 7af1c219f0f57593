"""What happens to a job after an attempt that failed."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path

from procrastinate.jobs import Job
from procrastinate.retry import BaseRetryStrategy, RetryDecision

from twofold.memory.errors import (
    Conflict,
    EmbedderMismatch,
    ExtractionFailed,
    InvalidInput,
    SettingsInvalid,
    TwofoldError,
)
from twofold.memory.retry import MOST_ATTEMPTS, retry_delay
from twofold.store.queue import BACKFILL, ORDINARY

logger = logging.getLogger(__name__)

MOST_CONFLICTS = 20
"""How often one attempt begins anew because another writer of the same person came first."""
_HOPELESS = (InvalidInput, EmbedderMismatch, SettingsInvalid)


class Retry(BaseRetryStrategy):
    """At once after a conflict or a shutdown, later and later after anything else, and then not any more.

    Each try is of lower priority than new jobs of the same person: their jobs run one at a time in the order
    of priority, and one session that fails for an hour must not hold up the others.
    """

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """Return when and how to try again, None to give up."""
        if isinstance(exception, asyncio.CancelledError):
            return RetryDecision(retry_in={"seconds": 0})
        seconds = retry_in(exception, job.attempts)
        if seconds is None:
            return None
        if isinstance(exception, Conflict):
            return RetryDecision(retry_in={"seconds": 0})
        highest = BACKFILL if job.priority <= BACKFILL else ORDINARY
        return RetryDecision(retry_in={"seconds": round(seconds)}, priority=highest - (job.attempts + 1))


async def despite_conflicts(save: Callable[[], Awaitable[None]]) -> None:
    """Save, and again at once where another writer of this person came first: somebody else made progress.

    That uses up no attempt, and does not wait for the queue to be looked at. Raises what `save` raises, Conflict
    after the twentieth in a row.
    """
    for _ in range(MOST_CONFLICTS - 1):
        try:
            return await save()
        except Conflict as conflict:
            logger.debug("A save begins anew: %s", conflict)
    return await save()


def retry_in(error: BaseException, attempts: int) -> float | None:
    """Return in how many seconds a job that failed `attempts` times before is tried again, None to give up."""
    if is_last(error, attempts):
        return None
    return 0.0 if isinstance(error, Conflict) else retry_delay(attempts + 1) or 0.0


def is_last(error: BaseException, attempts: int) -> bool:
    """Whether a job that failed `attempts` times before is given up after this error."""
    return isinstance(error, _HOPELESS) or attempts + 1 >= MOST_ATTEMPTS


def cause_of(error: BaseException) -> str:
    """Return the cause to keep. The words of an error that is not ours may quote what a person said."""
    if isinstance(error, ExtractionFailed) and error.failures:
        # Without its advice to run it again, which is for callers of the graph: a job is run again by itself.
        return f"{type(error).__name__}: {'; '.join(error.failures)}"
    return f"{type(error).__name__}: {error}" if isinstance(error, TwofoldError) else type(error).__name__


def told_attempt(error: BaseException, attempts: int) -> str:
    """Return what to log of an attempt that failed: its number, the cause, and what happens next, in one line."""
    seconds = retry_in(error, attempts)
    where = "" if isinstance(error, TwofoldError) else f" at {_place_of(error)}"
    if seconds is None:
        then = "given up; `twofold jobs retry` tries it anew"
    else:
        then = f"tried again in {seconds:.0f} s" if seconds else "tried again at once"
    cause = " ".join(f"{cause_of(error)}{where}".split())
    return f"attempt {attempts + 1} of {MOST_ATTEMPTS}: {cause.rstrip('.')}; {then}"


def _place_of(error: BaseException) -> str:
    """Return file and line that raised it, for a bug must be findable without its words."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "an unknown place"

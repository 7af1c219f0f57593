"""What happens to a job after an attempt that failed."""

from __future__ import annotations

import asyncio

from procrastinate.jobs import Job
from procrastinate.retry import BaseRetryStrategy, RetryDecision

from twofold.memory.errors import Conflict, EmbedderMismatch, InvalidInput, SettingsInvalid, TwofoldError
from twofold.memory.retry import MOST_ATTEMPTS, retry_delay

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
        if is_last(exception, job.attempts):
            return None
        if isinstance(exception, Conflict):
            return RetryDecision(retry_in={"seconds": 0})
        attempts = job.attempts + 1
        return RetryDecision(retry_in={"seconds": round(retry_delay(attempts) or 0)}, priority=-attempts)


def is_last(error: BaseException, attempts: int) -> bool:
    """Whether a job that failed `attempts` times before is given up after this error."""
    return isinstance(error, _HOPELESS) or attempts + 1 >= MOST_ATTEMPTS


def cause_of(error: BaseException) -> str:
    """Return the cause to keep. The words of an error that is not ours may quote what a person said."""
    return f"{type(error).__name__}: {error}" if isinstance(error, TwofoldError) else type(error).__name__

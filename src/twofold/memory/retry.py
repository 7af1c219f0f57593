"""When a save that failed is tried again."""

from __future__ import annotations

MOST_ATTEMPTS = 10
FIRST_SECONDS = 5.0
GROWTH = 3.0
LONGEST_SECONDS = 600.0


def retry_delay(attempts: int) -> float | None:
    """Return the seconds to wait after the `attempts`-th failed attempt (from 1), None to give up.

    5, 15, 45, 135 and 405 seconds, then ten minutes each: a model may be down for most of an hour.
    """
    if attempts >= MOST_ATTEMPTS:
        return None
    return float(min(FIRST_SECONDS * GROWTH ** (attempts - 1), LONGEST_SECONDS))

"""Times that every database, language and time zone can tell."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from twofold.memory.errors import InvalidInput

FIRST_YEAR = 2
LAST_YEAR = 9998
"""A time of the first or last year is of no year in some zones, and could be stored but never read again."""

_FURTHEST_ZONE = timedelta(hours=15)  # PostgreSQL refuses offsets of 16 hours; no place on earth has one of 15


def is_tellable(time: datetime) -> bool:
    """Whether a time has a zone, and is of a year that every zone knows."""
    return time.tzinfo is not None and FIRST_YEAR <= time.year <= LAST_YEAR


def told(time: datetime) -> datetime:
    """Return the same moment, in UTC where its zone is none on earth. It must be tellable."""
    offset = time.utcoffset()
    return time if offset is not None and abs(offset) <= _FURTHEST_ZONE else time.astimezone(UTC)


def checked_time(name: str, time: datetime) -> datetime:
    """Return the time as `told`. Raises InvalidInput, naming it, if it has no zone or is of a year no zone can tell."""
    if time.tzinfo is None:
        raise InvalidInput(f"{name}: has no time zone")
    if not is_tellable(time):
        raise InvalidInput(f"{name}: is not of the years {FIRST_YEAR} to {LAST_YEAR}")
    return told(time)

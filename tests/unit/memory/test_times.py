"""Times that can be stored and read again."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twofold.memory.errors import InvalidInput
from twofold.memory.times import checked_time, told

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("time", "said"),
    [
        (datetime(2026, 3, 1), "at: has no time zone"),  # noqa: DTZ001
        (datetime(1, 12, 31, tzinfo=UTC), "at: is not of the years 2 to 9998"),
        (datetime(9999, 1, 1, tzinfo=UTC), "at: is not of the years 2 to 9998"),
    ],
)
def test_a_time_that_cannot_be_told_everywhere_is_refused_by_name(time: datetime, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        checked_time("at", time)


@pytest.mark.parametrize("hours", [-12, 0, 5.5, 14, 15])
def test_a_time_in_a_zone_on_earth_stays_as_it_is(hours: float) -> None:
    time = NOON.astimezone(timezone(timedelta(hours=hours)))
    assert checked_time("at", time) is time


@given(
    st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31)),  # noqa: DTZ001
    st.integers(-23 * 60 - 59, 23 * 60 + 59),
)
def test_a_time_that_is_told_is_the_same_moment_within_15_hours_of_utc(local: datetime, minutes: int) -> None:
    time = local.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    same = told(time)
    offset = same.utcoffset()
    assert same == time
    assert offset is not None
    assert abs(offset) <= timedelta(hours=15)

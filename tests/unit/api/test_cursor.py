"""Cursors."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twofold.api.routes.cursor import cursor_of, position_of
from twofold.memory.clean import clean_text
from twofold.memory.errors import InvalidInput
from twofold.memory.memories import Position

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HERE = Position(at=NOON, key="k", kind="semantic")

zones = st.integers(-15 * 60, 15 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
times = st.datetimes(datetime(2, 1, 2), datetime(9998, 12, 30), timezones=zones)  # noqa: DTZ001
positions = st.builds(Position, at=times, key=st.text().map(clean_text), kind=st.sampled_from(["semantic", "episodic"]))
queries = st.tuples(
    st.sampled_from([None, "semantic", "episodic"]), st.none() | st.text(), st.none() | times, st.none() | times
)


@given(positions, queries)
def test_a_cursor_is_the_position_it_was_made_of(position: Position, query: tuple[str | datetime | None, ...]) -> None:
    cursor = cursor_of(position, query)
    assert position_of(cursor, query) == position
    assert cursor.isascii()
    assert not set(cursor) & set("+/=&?#%")


@given(queries, queries)
def test_a_cursor_of_another_query_is_refused(
    one: tuple[str | datetime | None, ...], other: tuple[str | datetime | None, ...]
) -> None:
    if one != other:
        with pytest.raises(InvalidInput, match="cursor: is not one of this query"):
            position_of(cursor_of(HERE, one), other)


@given(st.text() | st.binary().map(lambda raw: raw.decode("latin-1")))
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="cursor: "):
        position_of(text, ())


@pytest.mark.parametrize("key", ["a\x00b", "half \ud800"])
def test_a_cursor_of_a_key_that_cannot_be_is_refused(key: str) -> None:
    forged = cursor_of(Position(at=NOON, key=key, kind="semantic"), ())
    with pytest.raises(InvalidInput, match="cursor: "):
        position_of(forged, ())

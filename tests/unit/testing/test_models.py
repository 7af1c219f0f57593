"""The public fakes."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from twofold.memory.ports import Clock, Embedder, FactExtractor
from twofold.testing import EchoExtractor, FixedClock, HashEmbedder
from twofold.testing.models import word_vector


def test_the_fakes_are_what_the_ports_ask_for() -> None:
    ports: tuple[Clock, Embedder, FactExtractor] = (
        FixedClock(datetime(2026, 10, 1, tzinfo=UTC)),
        HashEmbedder(),
        EchoExtractor(),
    )
    assert len(ports) == 3


@given(st.text(), st.integers(min_value=1, max_value=64))
def test_any_text_has_a_vector_of_length_one(text: str, dims: int) -> None:
    vector = word_vector(text, dims)
    assert len(vector) == dims
    assert math.isclose(math.hypot(*vector), 1.0)


def test_a_vector_does_not_depend_on_case_order_or_the_process() -> None:
    assert word_vector("Close the ledger", 64) == word_vector("ledger THE close", 64)
    assert [round(value, 4) for value in word_vector("ledger", 4)] == [0.0, 0.0, 0.0, 1.0]


def test_a_clock_stands_still_until_it_is_moved() -> None:
    clock = FixedClock(datetime(2026, 10, 1, tzinfo=UTC))
    assert clock.now() == clock.now()
    clock.move(timedelta(days=30))
    assert clock.now() == datetime(2026, 10, 31, tzinfo=UTC)

"""What kept extractions and clocks promise, whoever keeps them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.unit.nodes.ports import AT, DictKept
from twofold.clock import SystemClock
from twofold.memory.ports import Clock, KeptExtractions
from twofold.memory.scope import Scope
from twofold.testing import FixedClock, memory_app

ANNA = Scope(tenant_id="acme", user_id="anna")
BEN = Scope(tenant_id="acme", user_id="ben")


@pytest.fixture(params=["dictionary", "postgres"])
async def kept(request: pytest.FixtureRequest, database_url: str) -> AsyncIterator[KeptExtractions]:
    if request.param == "dictionary":
        yield DictKept()
        return
    async with memory_app(database_url) as app:
        yield app.database.kept


async def test_what_was_kept_is_returned_for_exactly_its_input(kept: KeptExtractions) -> None:
    await kept.keep(ANNA, "s1", "semantic", "h1", {"changes": [1, "zwei", None]})
    assert await kept.get(ANNA, "s1", "semantic", "h1") == {"changes": [1, "zwei", None]}
    assert await kept.get(ANNA, "s1", "semantic", "h2") is None
    assert await kept.get(ANNA, "s1", "episodic", "h1") is None
    assert await kept.get(ANNA, "s2", "semantic", "h1") is None


async def test_an_empty_result_is_a_result(kept: KeptExtractions) -> None:
    await kept.keep(ANNA, "s1", "semantic", "h1", [])
    assert await kept.get(ANNA, "s1", "semantic", "h1") == []


@pytest.mark.parametrize("clock", [SystemClock(), FixedClock(AT)])
def test_a_clock_tells_the_time_with_its_zone(clock: Clock) -> None:
    assert clock.now().tzinfo is not None

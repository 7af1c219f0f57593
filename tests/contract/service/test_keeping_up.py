"""Waiting, closing, what is given up, and callers in many threads."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from typing import Never

import pytest

from tests.acceptance.host import session_of, stored
from tests.contract.service.conversation import FACT, MORE, TURNS, texts
from tests.services import Services
from twofold.adk import MemoryService
from twofold.memory.errors import ModelFailed
from twofold.store import attempts


class Down:
    """A model that cannot be reached."""

    name = "down"

    async def extract(self, turns: object, known: object) -> Never:
        raise ModelFailed("HTTP 503")


async def test_flushing_does_not_wait_for_a_session_to_settle(
    services: Services, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A flush has every session stored now."""
    monkeypatch.setenv("TWOFOLD_SETTLE_SECONDS", "60")
    service = services.make()
    for name, turns in (("s", TURNS), ("t", MORE)):
        await service.add_session_to_memory(session_of(*turns, session_id=name))
    assert stored(database_url) == []
    assert await service.flush() == 0
    assert len(stored(database_url)) == 2
    assert await service.flush() == 0


async def test_a_flush_says_how_many_sessions_are_not_stored_in_time(services: Services) -> None:
    service = services.make(models=replace(services.models, facts=Down()))
    await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
    async with asyncio.timeout(8):
        assert await service.flush(timeout=1) == 1
    assert (await service.backlog()).waiting == 1


async def test_closing_twice_does_no_harm_and_the_service_opens_again(
    service: MemoryService, database_url: str
) -> None:
    """A closed service is as good as new."""
    await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
    await service.close()
    await service.close()
    assert stored(database_url) == [FACT]
    assert await texts(service) == [FACT]


async def test_what_was_given_up_is_visible_and_can_be_tried_again(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that is down for too long leaves a dead letter; after `retry` the session is stored."""
    monkeypatch.setattr(attempts, "MOST_ATTEMPTS", 1)
    service = services.make(models=replace(services.models, facts=Down()))
    await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
    assert await service.flush(timeout=10) == 1
    backlog = await service.backlog()
    assert (backlog.waiting, backlog.failed) == (0, 1)
    await services.close()

    repaired = services.make()
    assert await repaired.retry() == 1
    for _ in range(100):
        if stored(services.database_url):
            break
        await asyncio.sleep(0.1)
    assert stored(services.database_url) == [FACT]
    assert (await repaired.backlog()).failed == 0


async def test_health_tells_what_is_in_use_and_that_nothing_went_wrong(service: MemoryService) -> None:
    assert await texts(service) == []
    for _ in range(100):
        if service.health.extractor:
            break
        await asyncio.sleep(0.05)
    health = service.health
    assert (health.extractor, health.embedder, health.opened) == ("testing:echo", "testing:words", True)
    assert (health.searches_failed, health.sessions_not_accepted, health.last_error) == (0, 0, "")


def test_threads_with_loops_of_their_own_share_one_service(services: Services) -> None:
    """Each saves for a user of its own, three times, each time on a new loop, and recalls just that."""
    service, recalled = services.make(), {}

    async def live(user_id: str, number: int) -> None:
        turns = (("user", f"My ledger is {user_id}{number}."), ("clerk", "Noted."))
        await service.add_session_to_memory(session_of(*turns, session_id=f"s{number}", user_id=user_id))
        await service.flush()
        recalled[user_id] = await texts(service, f"Which ledger {number}?", user_id=user_id)

    def lives(user_id: str) -> None:
        for number in range(3):
            asyncio.run(live(user_id, number))

    users = [f"user{number}" for number in range(6)]
    threads = [threading.Thread(target=lives, args=(user,)) for user in users]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
    assert {user: sorted(found) for user, found in recalled.items()} == {
        user: [f"My ledger is {user}{number}." for number in range(3)] for user in users
    }

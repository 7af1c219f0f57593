"""A service tells how its memory is doing, without being asked for it, in this process and on a server."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Never

import pytest

from tests.acceptance.host import session_of
from tests.contract.service.conversation import TURNS, texts
from tests.services import Services
from twofold import backlog_watch, in_process
from twofold.adk import MemoryService
from twofold.memory.errors import ModelFailed
from twofold.remote import memory as remote_memory
from twofold.store import attempts


class Down:
    """A model that cannot be reached."""

    name = "down"

    async def extract(self, turns: object, known: object) -> Never:
        raise ModelFailed("HTTP 503")


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look all the time, and wait for nothing before memory is behind."""
    for module in (backlog_watch, remote_memory):
        monkeypatch.setattr(module, "LOOK_SECONDS", 0.0)
    for module in (in_process, remote_memory):
        monkeypatch.setattr(module, "CLOSE_SECONDS", 0.1)
    monkeypatch.setattr(backlog_watch, "SOON_SECONDS", 0.05)
    monkeypatch.setattr(backlog_watch, "GRACE_SECONDS", 0.0)
    monkeypatch.setenv("TWOFOLD_SETTLE_SECONDS", "0")


async def until(service: MemoryService, met: Callable[[str], bool]) -> None:
    """Use the service until its health says so."""
    async with asyncio.timeout(60):
        for number in itertools.count():
            if met(str(service.health)):
                return
            await texts(service, f"Ledger {number}?")  # each another one: what was just found is not asked for again
            await asyncio.sleep(0.05)


async def test_before_its_first_call_nothing_is_known_and_then_memory_is_up_to_date(service: MemoryService) -> None:
    assert str(service.health) == "nothing known yet"
    await until(service, lambda told: told == "memory is up to date")
    await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
    await service.flush()
    await until(service, lambda told: told == "memory is up to date")


async def test_an_outage_of_the_model_is_told_with_its_cause_and_since_when(services: Services) -> None:
    service = services.make(models=replace(services.models, facts=Down()))
    await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
    await until(service, lambda told: "behind since" in told and "HTTP 503" in told)
    backlog = service.health.backlog
    assert backlog is not None
    assert (backlog.waiting, backlog.failed) == (1, 0)
    assert backlog.behind_since == backlog.oldest_at is not None
    assert backlog.last_error is not None
    assert (backlog.last_error.session_id, backlog.last_error.at is None) == ("s", False)
    assert str(service.health).startswith("memory is behind since 20")
    assert "(1 session waits; last error: ExtractionFailed: semantic: HTTP 503" in str(service.health)


async def test_what_was_given_up_is_told_until_it_is_stored(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempts, "MOST_ATTEMPTS", 1)
    service = services.make(models=replace(services.models, facts=Down()))
    await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
    await until(service, lambda told: told.startswith("memory is up to date, but 1 session was given up (last error: "))
    await services.close()
    repaired = services.make()
    await repaired.retry()
    await until(repaired, lambda told: told == "memory is up to date")


@pytest.mark.parametrize("uri", ["postgresql://127.0.0.1:1/nowhere", "http://127.0.0.1:1"])
async def test_memory_that_is_down_is_not_taken_for_one_that_knows_nothing(uri: str) -> None:
    away = MemoryService(uri, service_key="k" * 30 if uri.startswith("http") else None)
    assert await texts(away) == []
    assert str(away.health).startswith("memory is down: ")
    assert "127.0.0.1:1" in str(away.health)
    assert away.health.searches_failed == 1
    await away.close()


async def test_whoever_asks_what_waits_updates_health_too(service: MemoryService) -> None:
    await service.backlog()
    assert service.health.backlog == await service.backlog()

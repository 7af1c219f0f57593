"""When a memory service reads its settings: ADK's own servers read an agent's `.env` after they made it."""

from __future__ import annotations

import logging

import pytest

from twofold.adk import MemoryService


def nowhere(name: str) -> str:
    """Return the address of a database on a port where nobody listens."""
    return f"postgresql://127.0.0.1:9/{name}"


def shown(name: str) -> str:
    """Return that address as it is shown."""
    return f"127.0.0.1:9/{name}"


async def use(service: MemoryService) -> None:
    """Search where there is no database, which brings nothing."""
    found = await service.search_memory(app_name="books", user_id="anna", query="Which ledger?")
    assert found.memories == []


@pytest.mark.parametrize(("agents_dir", "host"), [(None, "before"), ("/agents", "after")])
async def test_a_service_of_adks_servers_reads_its_settings_when_it_is_first_used(
    agents_dir: str | None, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looking at it, or closing it, is no use of it."""
    monkeypatch.setenv("TWOFOLD_DATABASE_URL", nowhere("before"))
    service = MemoryService("twofold:///", agents_dir=agents_dir)
    assert service.health.database == shown("before")
    await service.close()
    monkeypatch.setenv("TWOFOLD_DATABASE_URL", nowhere("after"))
    assert service.health.database == shown("before")
    await service.close()
    await use(service)
    assert service.health.database == shown(host)
    assert service.health.searches_failed == 1
    monkeypatch.setenv("TWOFOLD_DATABASE_URL", nowhere("later"))
    await service.close()
    await use(service)
    assert service.health.database == shown(host)
    await service.close()


async def test_settings_that_became_unusable_are_told_and_ignored(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("TWOFOLD_DATABASE_URL", nowhere("before"))
    service = MemoryService("twofold:///", agents_dir="/agents")
    monkeypatch.setenv("TWOFOLD_TTL_DAYS", "soon")
    with caplog.at_level(logging.ERROR):
        await use(service)
    assert service.health.database == shown("before")
    await service.close()
    assert "ttl_days" in caplog.text.lower()

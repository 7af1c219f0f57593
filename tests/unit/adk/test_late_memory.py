"""When a memory service reads its settings: ADK's own servers read an agent's `.env` after they made it."""

from __future__ import annotations

import logging

import pytest

from twofold.adk import MemoryService


@pytest.mark.parametrize(("agents_dir", "host"), [(None, "before"), ("/agents", "after")])
def test_a_service_of_adks_servers_reads_its_settings_when_it_is_first_used(
    agents_dir: str | None, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWOFOLD_DATABASE_URL", "postgresql://before/d")
    service = MemoryService("twofold:///", agents_dir=agents_dir)
    monkeypatch.setenv("TWOFOLD_DATABASE_URL", "postgresql://after/d")
    assert service.health.database == f"{host}/d"
    monkeypatch.setenv("TWOFOLD_DATABASE_URL", "postgresql://later/d")
    assert service.health.database == f"{host}/d"


def test_settings_that_became_unusable_are_told_and_ignored(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("TWOFOLD_DATABASE_URL", "postgresql://before/d")
    service = MemoryService("twofold:///", agents_dir="/agents")
    monkeypatch.setenv("TWOFOLD_TTL_DAYS", "soon")
    with caplog.at_level(logging.ERROR):
        assert service.health.database == "before/d"
    assert "ttl_days" in caplog.text

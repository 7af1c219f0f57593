"""ADK's memory service on a real `langgraph dev`: the routes are the same, the refusals LangGraph's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.host import APP, session_of, text_of
from tests.server.dev import dev_server
from twofold.adk import MemoryService
from twofold.memory.errors import NotAccepted, NotAuthenticated

KEY = "the-key-of-the-tests-own-service"
FACT = "I work with the US Primary Ledger."


async def recalled(service: MemoryService, user_id: str = "anna meier/1") -> list[str]:
    """Return the words of what is recalled."""
    found = await service.search_memory(app_name=APP, user_id=user_id, query="Which ledger?")
    return [text_of(entry.content) for entry in found.memories]


@pytest.mark.timeout(240)
async def test_sessions_are_accepted_stored_recalled_and_erased(database_url: str, tmp_path: Path) -> None:
    settings = {"service_keys": {"tests": {"key": KEY}}}
    with dev_server(tmp_path, database_url=database_url, **settings) as server:
        service = MemoryService(server.url, service_key=KEY, wait=True)
        session = session_of(("user", FACT), ("clerk", "Noted."), session_id="s/1", user_id="anna meier/1")
        await service.add_session_to_memory(session)
        (fact,) = await recalled(service)
        assert "US Primary Ledger" in fact
        assert await recalled(service, "ben") == []
        assert (await service.backlog()).waiting == 0
        assert service.health.extractor == "offline rules"
        await service.delete_session(app_name=APP, user_id="anna meier/1", session_id="s/1")
        assert await recalled(service) == []
        await service.close()

        stranger = MemoryService(server.url, service_key="not-the-key-of-any-service-at-all")
        with pytest.raises(NotAccepted, match="set service_key or TWOFOLD_SERVER_KEY"):
            await stranger.add_session_to_memory(session)
        with pytest.raises(NotAuthenticated):
            await stranger.delete_user(app_name=APP, user_id="anna meier/1")
        assert await recalled(stranger) == []
        await stranger.close()

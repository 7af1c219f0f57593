"""What a host reads on its terminal while memory is down: what happened and what to do, in one line each."""

from __future__ import annotations

import logging

import pytest
from google.adk.sessions.in_memory_session_service import InMemorySessionService

from tests.acceptance.host import Host, Replies, agent_with
from twofold.adk import MemoryService

DOWN = ["postgresql://127.0.0.1:1/x", "twofold+http://127.0.0.1:1"]


@pytest.mark.parametrize("address", DOWN, ids=["database", "server"])
@pytest.mark.parametrize("level", [logging.WARNING, logging.DEBUG])
async def test_a_session_that_is_not_accepted_is_one_line_and_its_traceback_is_there_at_debug(
    caplog: pytest.LogCaptureFixture, address: str, level: int
) -> None:
    caplog.set_level(level, "twofold")
    service = MemoryService(address, service_key="a-key-of-the-tests" if "http" in address else None)
    host = Host(service=service, sessions=InMemorySessionService())
    await host.say(agent_with(Replies()), "My ledger is US Primary.", session_id="monday")
    await service.close()
    (record,) = [each for each in caplog.records if each.name == "twofold.adk.plugin"]
    said = record.getMessage()
    assert record.levelno == logging.WARNING
    assert said.startswith("Session monday was not accepted by memory (")
    assert "127.0.0.1:1" in said
    assert said.endswith("; the next run hands it over again")
    assert "\n" not in said
    assert bool(record.exc_info) is (level == logging.DEBUG)
    told = [each for each in caplog.records if each.levelno >= logging.WARNING]
    assert len(told) == 2, "one of the search, one of the session"
    assert level == logging.DEBUG or not any(each.exc_info for each in told)

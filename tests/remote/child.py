"""A process that ends right after its last run: `python -m tests.remote.child SERVER`."""

from __future__ import annotations

import asyncio
import sys

from google.adk.sessions.in_memory_session_service import InMemorySessionService

from tests.acceptance.host import APP, Host, Replies, agent_with, said
from tests.remote.served import KEY
from twofold.adk import MemoryService

FACT = "I work with the US Primary Ledger."


def run_and_end(server: str) -> None:
    """Answer one message and end, as a script does: nothing is closed, nothing is flushed."""
    sessions = InMemorySessionService()
    asyncio.run(sessions.create_session(app_name=APP, user_id="anna", session_id="s"))
    host = Host(service=MemoryService(server, service_key=KEY), sessions=sessions)
    list(host.runner(agent_with(Replies())).run(user_id="anna", session_id="s", new_message=said(FACT)))


if __name__ == "__main__":
    run_and_end(sys.argv[1])

"""Processes that end badly or at once: `python -m tests.acceptance.child WHAT DATABASE_URL`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence

from google.adk.sessions.in_memory_session_service import InMemorySessionService

from tests.acceptance.host import APP, Host, Replies, agent_with, said, session_of
from twofold.adk import MemoryService
from twofold.memory.memories import FactChange, Memory
from twofold.memory.steps import Turn
from twofold.models.offline import OfflineNarrator
from twofold.models.open import Models
from twofold.testing import EchoExtractor, HashEmbedder

FACT = "My ledger is US Primary."


class DyingExtractor(EchoExtractor):
    """An extractor that takes its process with it."""

    async def extract(self, turns: Sequence[Turn], known: Sequence[Memory]) -> Sequence[FactChange]:
        """Die."""
        os.kill(os.getpid(), signal.SIGKILL)
        return await super().extract(turns, known)


def service_with(facts: EchoExtractor, database_url: str) -> MemoryService:
    """Return a service that needs no network."""
    return MemoryService(database_url, models=Models(facts=facts, narrator=OfflineNarrator(), embedder=HashEmbedder()))


async def accept_and_die(database_url: str) -> None:
    """Die right after a session was accepted, before anything is extracted."""
    service = service_with(EchoExtractor(), database_url)
    await service.add_session_to_memory(session_of(("user", FACT), ("clerk", "Noted."), session_id="s"))
    os.kill(os.getpid(), signal.SIGKILL)


async def die_while_extracting(database_url: str) -> None:
    """Die while the worker holds the job."""
    service = service_with(DyingExtractor(), database_url)
    await service.add_session_to_memory(session_of(("user", FACT), ("clerk", "Noted."), session_id="s"))
    await service.flush()


def run_and_end(database_url: str) -> None:
    """Answer one message and end, as a script does: nothing is closed, nothing is flushed."""
    sessions = InMemorySessionService()
    asyncio.run(sessions.create_session(app_name=APP, user_id="anna", session_id="s"))
    host = Host(service=service_with(EchoExtractor(), database_url), sessions=sessions)
    runner = host.runner(agent_with(Replies()))
    list(runner.run(user_id="anna", session_id="s", new_message=said(FACT)))


if __name__ == "__main__":
    what, url = sys.argv[1:]
    if what == "run_and_end":
        run_and_end(url)
    elif what == "accept_and_die":
        asyncio.run(accept_and_die(url))
    else:
        asyncio.run(die_while_extracting(url))

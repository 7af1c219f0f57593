"""A real server is stopped under a service in use, and started again."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from google.adk.sessions.in_memory_session_service import InMemorySessionService

from tests.acceptance.host import APP, Host, Replies, agent_with, session_of, stored, text_of
from twofold.adk import MemoryService
from twofold.clock import SystemClock
from twofold.in_process import InProcessMemory
from twofold.loop_thread import finished
from twofold.memory.errors import NotAccepted, TwofoldError
from twofold.memory.scope import Scope
from twofold.memory.verbatim import VerbatimText
from twofold.models.open import Models
from twofold.settings import load_settings
from twofold.store.embedded import start_embedded

FACT = "My ledger is US Primary."
TURNS = (("user", FACT), ("clerk", "Noted."))


class Server:
    """A server of this test alone. Its folder is short: the path of a socket is limited."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "data"
        self.url = start_embedded(self.folder)

    @property
    def process(self) -> int:
        """The id of its first process."""
        return int((self.folder / "postmaster.pid").read_text().split()[0])

    def stop(self, how: signal.Signals) -> None:
        """End it and wait until it is gone."""
        process = self.process
        os.kill(process, how)
        for _ in range(100):
            if not Path(f"/proc/{process}").exists():
                return
            time.sleep(0.1)
        raise TimeoutError("The server did not stop")


def short_folder() -> Path:
    """Return a new folder with a short path, as a socket needs it."""
    folder = Path(tempfile.mkdtemp(prefix="twofold-"))
    folder.chmod(0o755)  # run by root, the server is another user
    return folder


@pytest.fixture
def server() -> Iterator[Server]:
    """Lend a server."""
    folder = short_folder()
    server = Server(folder)
    yield server
    if (server.folder / "postmaster.pid").exists():
        server.stop(signal.SIGQUIT)
    shutil.rmtree(folder, ignore_errors=True)


async def recovered(host: Host) -> list[str]:
    """Search until something is found: connections come back some seconds after the server."""
    for attempt in range(10):
        if found := await host.search(f"Which ledger is it, {attempt}?"):
            return found
    return []


async def test_a_stopped_server_gives_no_memories_and_health_says_so(server: Server, models: Models) -> None:
    """A search returns in time with nothing, a turn is answered, a save says that it was not accepted."""
    service = MemoryService(server.url, models=models)
    host = Host(service=service, sessions=InMemorySessionService())
    await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
    await service.flush()
    assert await host.search("Which ledger?") == [FACT]
    assert service.health.last_error == ""

    server.stop(signal.SIGINT)
    began = time.monotonic()
    assert await host.search("Which ledger is it?") == []
    assert time.monotonic() - began < 5
    assert service.health.searches_failed == 1
    assert service.health.last_error.startswith("search: ")
    session = await host.say(agent_with(Replies()), "My company is 1000.")
    assert text_of(session.events[-1].content) == "Noted."
    with pytest.raises(NotAccepted):
        await service.add_session_to_memory(session_of(*TURNS, session_id="t"))
    assert service.health.sessions_not_accepted == 2

    start_embedded(server.folder)
    assert await recovered(host) == [FACT]
    await host.say(agent_with(Replies()), "My period is March.", session_id=session.id)
    assert await service.flush() == 0
    assert stored(server.url) == ["My company is 1000.", FACT, "My period is March."]
    await service.close()


async def test_the_embedded_server_is_started_again_when_it_was_killed_under_a_running_process(models: Models) -> None:
    """Without a restart of the process, and what was accepted is found."""
    folder = short_folder()
    memory = InProcessMemory(load_settings(data_folder=folder), models=models)
    anna = Scope(tenant_id=APP, user_id="anna")
    try:
        await memory.add(anna, [VerbatimText(text=FACT, at=SystemClock().now())])
        pidfile = folder / "postgres" / "postmaster.pid"
        killed = int(pidfile.read_text().split()[0])
        os.kill(killed, signal.SIGKILL)
        began, found = time.monotonic(), list[str]()
        while not found and time.monotonic() - began < 60:
            with suppress(TwofoldError):
                recall = await finished(memory.recall(anna, f"Which ledger, {time.monotonic()}?"))
                found = [fact.text for fact in recall.facts]
            await asyncio.sleep(0.2)
        assert found == [FACT]
        assert int(pidfile.read_text().split()[0]) != killed
    finally:
        await asyncio.to_thread(memory.close)
        await asyncio.to_thread(memory.release)
        shutil.rmtree(folder, ignore_errors=True)


async def test_an_accepted_session_survives_kill_9_of_the_server(server: Server, models: Models) -> None:
    """The server dies right after the accept and comes back: the session is stored, once."""
    service = MemoryService(server.url, models=models)
    await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
    server.stop(signal.SIGKILL)
    start_embedded(server.folder)
    for _ in range(300):
        await service.search_memory(app_name=APP, user_id="anna", query="ledger")
        if stored(server.url):
            break
        await asyncio.sleep(0.2)
    assert stored(server.url) == [FACT]
    await service.close()

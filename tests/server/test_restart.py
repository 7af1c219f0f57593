"""A LangGraph server that brings its own database: killed with work pending, started again, stopped by a signal."""

from __future__ import annotations

import asyncio
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.server.dev import DevServer, dev_server
from tests.server.samples import sample, session

pytestmark = pytest.mark.timeout(240)


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="twofold-") as short:  # the path of a socket is limited
        yield Path(short)


def postgres_in(folder: Path) -> list[psutil.Process]:
    """Return the running database servers that keep their data below a folder."""
    return [
        process
        for process in psutil.process_iter(["name", "cmdline", "status"])
        if process.info["name"] == "postgres"
        and process.info["status"] != psutil.STATUS_ZOMBIE
        and any(str(folder) in word for word in process.info["cmdline"] or ())
    ]


async def test_what_was_accepted_is_stored_after_a_kill_and_no_database_lingers(folder: Path) -> None:
    with dev_server(folder, data_folder=str(folder / "data"), settle_seconds=5) as server:
        async with server.http() as http:
            accepted = await http.post("/memory/sessions", json=session("I work with the Malta Ledger."))
            assert accepted.is_success, accepted.text
        server.end(signal.SIGKILL)

    with dev_server(folder, data_folder=str(folder / "data")) as server:
        async with server.http() as http:
            progress = await _stored(server)
            assert progress == {"session_id": "s1", "revision": 1, "stored": True, "given_up": False, "error": ""}
            [memory] = (await http.get("/memory")).json()["memories"]
            assert memory["text"] == "The user works with the Malta Ledger."
        async with server.client() as client:
            await client.runs.wait(None, "memory_read", input=sample("memory_read"))
        assert postgres_in(folder)
        started = time.monotonic()
        server.end(signal.SIGTERM)
        assert time.monotonic() - started < 15
    assert postgres_in(folder) == []


async def _stored(server: DevServer) -> dict[str, object]:
    async with server.http() as http:
        for _ in range(60):
            progress: dict[str, object] = (await http.get("/memory/sessions/s1", params={"revision": 1})).json()
            if progress["stored"]:
                return progress
            await asyncio.sleep(0.5)
    return progress

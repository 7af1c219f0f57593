"""A server and its clients as processes of their own, which end badly or at once."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.acceptance.host import session_of, stored
from tests.remote.child import FACT
from tests.remote.served import KEY, SERVICES
from twofold.adk import MemoryService

ROOT = Path(__file__).parents[2]
SERVE = "import sys; from twofold.api.serve import serve; serve('127.0.0.1', int(sys.argv[1]))"
START_SECONDS = 60


@pytest.fixture
def port() -> int:
    """Return a port that is free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def server(port: int, database_url: str, log: Path, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server as its owner would, with the local models."""
    own = {"TWOFOLD_DATABASE_URL": database_url, "TWOFOLD_SERVICE_KEYS": json.dumps(SERVICES), **environment}
    with log.open("ab") as out:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", SERVE, str(port)],
            env={**os.environ, **own},  # noqa: TID251 - a child's own
            stdout=out,
            stderr=out,
        )
    try:
        answering(port, process, log)
        yield process
    finally:
        process.terminate()
        process.wait(30)


def answering(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the server answers."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            httpx.get(f"http://127.0.0.1:{port}/memory/health")
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError(log.read_text()[-4000:])


@pytest.mark.timeout(240)
async def test_a_session_accepted_before_kill_9_of_the_server_is_stored_after_its_restart(
    empty_database_url: str, port: int, tmp_path: Path
) -> None:
    """It was settling when the server died; the next server goes on with it by itself, and the client notices."""
    service = MemoryService(f"http://127.0.0.1:{port}", service_key=KEY)
    turns = (("user", FACT), ("clerk", "Noted."))
    with server(port, empty_database_url, tmp_path / "log") as process:
        await service.add_session_to_memory(session_of(*turns, session_id="s"))
        process.send_signal(signal.SIGKILL)
        process.wait(30)
    assert stored(empty_database_url) == []
    with server(port, empty_database_url, tmp_path / "log"):
        assert await service.flush(timeout=60) == 0
        await service.add_session_to_memory(session_of(*turns, session_id="s"))
        assert await service.flush(timeout=60) == 0
    (fact,) = stored(empty_database_url)
    assert "US Primary Ledger" in fact
    await service.close()


@pytest.mark.timeout(240)
def test_a_client_that_ends_right_after_its_last_run_loses_nothing_and_waits_for_nothing(
    empty_database_url: str, port: int, tmp_path: Path
) -> None:
    with server(port, empty_database_url, tmp_path / "log", TWOFOLD_SETTLE_SECONDS="30"):
        command = [sys.executable, "-m", "tests.remote.child", f"http://127.0.0.1:{port}"]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
        assert ended.returncode == 0, ended.stderr
        assert "Traceback" not in ended.stderr
        assert stored(empty_database_url) == []
        key = {"Authorization": f"Bearer {KEY}"}
        assert httpx.get(f"http://127.0.0.1:{port}/memory/health", headers=key).json()["waiting"] == 1

"""The HTTP API alone: the same routes and the same callers without a LangGraph server."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.callers import CRM_KEY
from tests.guards import clean_environment
from tests.server.samples import session
from tests.server.test_restart import postgres_in
from twofold.api import configured
from twofold.api.serve import serve
from twofold.memory.errors import SettingsInvalid

pytestmark = pytest.mark.timeout(120)

CHILD = "import sys; from twofold.api.serve import serve; serve('127.0.0.1', int(sys.argv[1])); print('ended')"


@contextmanager
def started(**settings: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Serve from a process of its own, which may not answer yet."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    environment = dict(os.environ)  # noqa: TID251 - of a child
    clean_environment(environment)
    environment |= {f"TWOFOLD_{name.upper()}": value for name, value in settings.items()}
    command = [sys.executable, "-P", "-c", CHILD, port]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            yield f"http://127.0.0.1:{port}", process
        finally:
            process.kill()


def _answering(url: str, process: subprocess.Popen[str]) -> str:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            httpx.get(f"{url}/memory/health")
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return url
    raise AssertionError("the server does not answer")


@pytest.fixture
def folder() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="twofold-") as short:  # the path of a socket is limited
        yield short


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT], ids=["terminate", "interrupt"])
async def test_it_accepts_stores_and_ends_with_its_database_when_it_is_told_to(
    folder: str, stop: signal.Signals
) -> None:
    with started(data_folder=folder, settle_seconds="0") as (url, process):
        async with httpx.AsyncClient(base_url=_answering(url, process)) as http:
            assert (await http.post("/memory/sessions", json=session("I work with the Malta Ledger."))).is_success
            assert await _memories(http) == ["The user works with the Malta Ledger."]
            assert (await http.get("/memory", headers={"Origin": "https://evil.example"})).status_code == 403
            assert (await http.get("/docs")).status_code == 404
            assert (await http.get("/ok")).json() == {"ok": True}
            assert "/memory/search" in (await http.get("/openapi.json")).json()["paths"]
        assert postgres_in(Path(folder))
        process.send_signal(stop)
        said, _ = process.communicate(timeout=30)
        assert (process.returncode, said.splitlines()[-1:]) == (0, ["ended"]), said
        assert "Traceback" not in said
    assert postgres_in(Path(folder)) == []


def test_it_ends_without_a_database_when_it_is_told_to_while_it_opens_one(folder: str) -> None:
    with started(data_folder=folder) as (_, process):
        deadline = time.monotonic() + 60
        while not (Path(folder) / "postgres").exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=30)
        assert process.returncode == 0, said
    assert postgres_in(Path(folder)) == []


async def _memories(http: httpx.AsyncClient) -> list[str]:
    for _ in range(60):
        memories = (await http.get("/memory")).json()["memories"]
        if memories:
            return [memory["text"] for memory in memories]
        await asyncio.sleep(0.25)
    return []


@pytest.fixture
def anew() -> Iterator[None]:
    """Have the settings read again."""
    kept: Any = (configured.settings, configured.authenticator, configured.apps)
    for one in kept:
        one.cache_clear()
    yield
    for one in kept:
        one.cache_clear()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.20", "example.com"])  # noqa: S104 - refused
def test_without_anybody_to_tell_apart_only_this_machine_is_served(host: str, anew: None) -> None:
    with pytest.raises(SettingsInvalid, match="TWOFOLD_AUTH_ISSUER"):
        serve(host, 0)


def test_what_cannot_be_opened_is_the_callers_error_and_no_traceback_of_the_server(
    anew: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWOFOLD_SERVICE_KEYS", f'{{"crm": {{"key": "{CRM_KEY}"}}}}')
    monkeypatch.setenv("TWOFOLD_AUTH_ISSUER", "https://id.example.com")
    with pytest.raises(SettingsInvalid, match="auth_audience"):
        serve("127.0.0.1", 0)

"""`twofold serve`, as a process of its own."""

from __future__ import annotations

import signal
import socket

import httpx
import pytest

from tests.cli.command import run, running
from tests.cli.seeds import ANNA, Seeds

LOCAL = {"tenant": "local", "user": "local"}


def free_port() -> int:
    """Return a port that nobody uses."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_until_it_is_told_to_stop(environment: dict[str, str], seeds: Seeds, number: int) -> None:
    port = free_port()
    with running(environment, "serve", "--port", str(port)) as server:
        server.wait_for("Serving on")
        health = httpx.get(f"http://127.0.0.1:{port}/memory/health")
        assert health.json()["waiting"] == 0
        seeds.accept(ANNA, "s1")
        server.wait_for("Session s1 is saved")
        assert server.stop(number) == 0
        assert "Traceback" not in server.said


def test_everyone_is_let_in_nowhere(environment: dict[str, str]) -> None:
    done = run(environment, "serve", "--host", "0.0.0.0", "--port", str(free_port()))  # noqa: S104 - what is refused
    assert done.returncode == 1
    assert "TWOFOLD_SERVICE_KEYS" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("port", ["70000", "-1", "x"])
def test_a_port_is_a_number_of_16_bits(environment: dict[str, str], port: str) -> None:
    assert run(environment, "serve", "--port", port).returncode == 2

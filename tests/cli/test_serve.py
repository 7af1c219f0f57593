"""`twofold serve`, as a process of its own."""

from __future__ import annotations

import re
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


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGHUP, 0), (signal.SIGINT, 130)])
def test_it_serves_until_it_is_told_to_stop(environment: dict[str, str], seeds: Seeds, number: int, code: int) -> None:
    port = free_port()
    with running(environment, "serve", "--port", str(port)) as server:
        server.wait_for(f"Serving on http://127.0.0.1:{port}")
        health = httpx.get(f"http://127.0.0.1:{port}/memory/health")
        assert health.json()["waiting"] == 0
        seeds.accept(ANNA, "s1")
        server.wait_for("Session s1 is saved")
        assert server.stop(number) == code
        assert "Stopped" in server.said
        assert "Traceback" not in server.said


def test_port_0_takes_a_free_port_and_says_which(environment: dict[str, str]) -> None:
    with running(environment, "serve", "--port", "0", "--host", "::1") as server:
        address = server.wait_for("Serving on http://[::1]:").split()[-1]
        assert httpx.get(f"{address}/ok").json() == {"ok": True}


def test_a_port_that_is_in_use_is_told_in_one_line(environment: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run(environment, "serve", "--port", str(port))
    assert done.returncode == 1
    assert done.stderr == f"twofold: port {port} is in use: stop the other server or give --port\n"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_it_tells_at_which_port_it_is_reached(environment: dict[str, str], host: str) -> None:
    with running(environment, "serve", "--host", host, "--port", "0") as server:
        told = server.wait_for("Serving on")
        url = re.fullmatch(r".*Serving on (http://(?:127\.0\.0\.1|localhost|\[::1\]):[1-9]\d*)\n", told)
        assert url, told
        assert httpx.get(f"{url[1]}/ok").json() == {"ok": True}
        assert server.stop() == 0


def test_everyone_is_let_in_nowhere(environment: dict[str, str]) -> None:
    done = run(environment, "serve", "--host", "0.0.0.0", "--port", str(free_port()))  # noqa: S104 - what is refused
    assert done.returncode == 1
    assert "TWOFOLD_SERVICE_KEYS" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("port", ["70000", "-1", "x"])
def test_a_port_is_a_number_of_16_bits(environment: dict[str, str], port: str) -> None:
    assert run(environment, "serve", "--port", port).returncode == 2

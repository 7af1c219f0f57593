"""The real `langgraph dev` in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from tests.guards import clean_environment

ROOT = Path(__file__).parents[2]
START_SECONDS = 90
STOP_SECONDS = 30


@dataclass(frozen=True)
class DevServer:
    """A running server, and the folder it keeps its files in."""

    url: str
    folder: Path
    process: subprocess.Popen[bytes]

    def client(self, headers: Mapping[str, str] | None = None) -> LangGraphClient:
        return get_client(url=self.url, headers=dict(headers or {}))

    def http(self, headers: Mapping[str, str] | None = None) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=self.url, headers=headers, timeout=30)

    def left_behind(self) -> bytes:
        """End the server, if it runs, and return all it has left in its folder, its log too."""
        if self.process.poll() is None:
            self.end()
        left = [path for path in self.folder.rglob("*") if path.is_file()]
        assert {".langgraph_ops.pckl", ".langgraph_checkpoint.1.pckl", "server.log"} <= {path.name for path in left}
        return b"".join(path.read_bytes() for path in left)

    def end(self, by: int = signal.SIGTERM) -> int:
        """Send a signal and wait for the end; return its status."""
        self.process.send_signal(by)
        return self.process.wait(STOP_SECONDS)


@contextmanager
def dev_server(folder: Path, **settings: Any) -> Iterator[DevServer]:
    """Run a server with the settings of twofold, and with variables where a name is in capitals."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-P", "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload"]
    command += ["--port", str(port), "--config", str(ROOT / "langgraph.json"), "--n-jobs-per-worker", "4"]
    log = folder / "server.log"
    with (
        log.open("a") as out,
        subprocess.Popen(command, cwd=folder, stdout=out, stderr=out, env=_environment(settings)) as process,
    ):
        try:
            yield DevServer(answering(f"http://127.0.0.1:{port}", process, log), folder, process)
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


def _environment(settings: Mapping[str, Any]) -> dict[str, str]:
    environment = dict(os.environ)  # noqa: TID251 - of a child
    clean_environment(environment)
    environment |= {"LANGGRAPH_NO_VERSION_CHECK": "1", "LANGGRAPH_CLI_NO_ANALYTICS": "1", "NO_COLOR": "1"}
    for name, value in settings.items():
        text = value if isinstance(value, str) else json.dumps(value)
        environment[name if name.isupper() else f"TWOFOLD_{name.upper()}"] = text
    return environment


def answering(url: str, process: subprocess.Popen[bytes], log: Path) -> str:
    """Wait until a LangGraph server answers and return its address; tells what it wrote if it does not."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(f"{url}/ok").is_success:
                return url
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError(log.read_text()[-4000:])

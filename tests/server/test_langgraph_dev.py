"""Both graphs on the real `langgraph dev`, over its HTTP API, without key or network."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

CONFIG = Path(__file__).parents[2] / "langgraph.json"
START_SECONDS = 90

TOOL = {"author": "agent", "tool": "close_period", "call_id": "1"}
ENTRIES: list[dict[str, Any]] = [
    {"event_id": "u1", "kind": "said", "author": "user", "text": "I work with the US Primary Ledger."},
    {"event_id": "c1", "kind": "called", "payload": {"period": "2026-03"}, **TOOL},
    {"event_id": "r1", "kind": "returned", "payload": {"error": "open subledgers exist"}, **TOOL},
    {"event_id": "a1", "kind": "said", "author": "agent", "text": "The close failed."},
]


@pytest.fixture
def server(tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("TWOFOLD_DATABASE_URL", database_url)
    monkeypatch.setenv("LANGGRAPH_NO_VERSION_CHECK", "1")
    monkeypatch.setenv("LANGGRAPH_CLI_NO_ANALYTICS", "1")
    port, log = _free_port(), tmp_path / "server.log"
    command = [sys.executable, "-P", "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload"]
    command += ["--port", str(port), "--config", str(CONFIG)]
    with log.open("w") as out, subprocess.Popen(command, cwd=tmp_path, stdout=out, stderr=out) as process:
        try:
            yield _answering(f"http://127.0.0.1:{port}", process, log)
        finally:
            process.terminate()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answering(url: str, process: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(f"{url}/ok").is_success:
                return url
        except httpx.TransportError:
            time.sleep(0.2)
    raise AssertionError(log.read_text()[-4000:])


@pytest.mark.timeout(240)
async def test_both_graphs_run_over_the_api_bound_to_the_local_scope(server: str) -> None:
    async with get_client(url=server) as client:
        await _both_graphs(client)


async def _both_graphs(client: LangGraphClient) -> None:
    saved = await _run(
        client,
        "memory_write",
        {"session_id": "s1", "entries": [entry | {"at": "2026-04-01T12:00:00Z"} for entry in ENTRIES]},
    )
    assert "saved" in saved, saved
    assert {item["kind"] for item in saved["saved"]} == {"semantic", "episodic"}
    recall = (await _run(client, "memory_read", {"query": "Why did the close fail? Which ledger?"}))["recall"]
    assert "US Primary Ledger" in recall["facts"][0]["text"]
    assert "FAILURE: open subledgers exist" in recall["episodes"][0]["text"]

    refused = await _run(client, "memory_read", {"query": "x", "scope": {"tenant_id": "acme", "user_id": "anna"}})
    assert refused["__error__"]["error"] == "InvalidInput"


async def _run(client: LangGraphClient, graph: str, given: dict[str, Any]) -> dict[str, Any]:
    output = await client.runs.wait(None, graph, input=given, raise_error=False)
    assert isinstance(output, dict)
    return output

"""Both graphs on the real `langgraph dev`, over its HTTP API, without key or network."""

from __future__ import annotations

import os
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

ENTRIES = [
    {"event_id": "u1", "kind": "said", "author": "user", "at": "2026-04-01T12:00:00Z", "text": "I work with the US Primary Ledger."},
    {"event_id": "c1", "kind": "called", "author": "agent", "at": "2026-04-01T12:01:00Z", "tool": "close_period", "call_id": "1", "payload": {"period": "2026-03"}},
    {"event_id": "r1", "kind": "returned", "author": "agent", "at": "2026-04-01T12:02:00Z", "tool": "close_period", "call_id": "1", "payload": {"error": "open subledgers exist"}},
    {"event_id": "a1", "kind": "said", "author": "agent", "at": "2026-04-01T12:03:00Z", "text": "The close failed."},
]  # fmt: skip


@pytest.fixture
def server(tmp_path: Path, database_url: str) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-P", "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload", "--port", str(port), "--config", str(CONFIG)]  # fmt: skip
    environment = os.environ | {"TWOFOLD_DATABASE_URL": database_url, "LANGGRAPH_NO_VERSION_CHECK": "1", "LANGGRAPH_CLI_NO_ANALYTICS": "1"}  # noqa: TID251,E501 # fmt: skip
    log = tmp_path / "server.log"
    with log.open("w") as output, subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=output, stderr=output) as process:  # fmt: skip
        try:
            yield _answering(f"http://127.0.0.1:{port}", process, log)
        finally:
            process.terminate()
            print(log.read_text())  # shown when the test fails


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
    saved = await _run(client, "memory_write", {"session_id": "s1", "entries": ENTRIES})
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

"""The example that asks a running server's graphs from a LangGraph app of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.server.dev import ROOT, dev_server

KEY = "the-key-of-the-tests-own-service"
SERVICES = {"tests": {"key": KEY, "tenants": ["help_desk"]}}


@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    ("settings", "key"), [({}, {}), ({"service_keys": SERVICES}, {"TWOFOLD_SERVER_KEY": KEY})], ids=["local", "key"]
)
def test_the_example_stores_asks_and_is_refused(
    database_url: str, tmp_path: Path, settings: dict[str, Any], key: dict[str, str]
) -> None:
    """Run twice: it may be repeated."""
    with dev_server(tmp_path, database_url=database_url, **settings) as server:
        for action in ("ADD", "NOOP"):
            example = subprocess.run(
                [sys.executable, ROOT / "examples" / "remote_graph.py", server.url],
                env={**os.environ, **key},  # noqa: TID251 - a child's own
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            assert example.returncode == 0, example.stderr
            stored, answer, refused = example.stdout.splitlines()
            assert stored == f"stored: {action}"
            assert answer == "As I remember: The user works with the US Primary Ledger."
            assert refused.startswith("refused: InvalidInput - the reason is in the server's log")


def test_without_a_server_it_says_in_one_line_what_to_start() -> None:
    """In place of a traceback."""
    example = subprocess.run(
        [sys.executable, ROOT / "examples" / "remote_graph.py", "http://127.0.0.1:1"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert example.returncode == 1
    assert example.stderr == "Nothing answers at http://127.0.0.1:1: start `langgraph dev --no-browser` first\n"

"""The examples a newcomer runs first, each as its own process, without any key."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(example: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run an example to its end."""
    return subprocess.run(
        [sys.executable, EXAMPLES / example],
        env=environment,
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )


@pytest.fixture
def environment(tmp_path: Path, empty_database_url: str) -> dict[str, str]:
    """Return where memory lives; the home and the temporary files are the test's."""
    return {
        "TWOFOLD_DATABASE_URL": empty_database_url,
        "TMPDIR": str(tmp_path),
        "HOME": str(tmp_path),
        "PATH": "",
        "LANG": "C.UTF-8",
    }


def memories_in(database_url: str) -> int:
    """Count what is stored of anyone."""
    with psycopg.connect(database_url) as connection:
        rows = connection.execute("SELECT count(*) FROM store").fetchall()
    return int(rows[0][0])


@pytest.mark.timeout(180)
def test_the_demo_answers_with_memory_and_admits_without(environment: dict[str, str], tmp_path: Path) -> None:
    """It judges its own answers by its exit code, and leaves no file."""
    demo = run("demo.py", environment)
    assert demo.returncode == 0, demo.stdout + demo.stderr
    assert demo.stderr == ""
    with_memory, without = demo.stdout.split("with memory off")
    assert "<PAST_CONVERSATIONS>" in with_memory
    answer = " ".join(with_memory.split("nobody could answer")[1].split())
    assert "FAILURE: open subledgers exist" in answer
    assert "I don't know." in without
    assert "Every answer was right" in without
    assert list(tmp_path.glob("twofold-demo-*")) == []
    assert memories_in(environment["TWOFOLD_DATABASE_URL"]) == 0


@pytest.mark.timeout(180)
def test_the_demo_brings_a_database_of_its_own_and_leaves_nothing(environment: dict[str, str]) -> None:
    """Nothing is configured: a server starts in a temporary folder, and both are gone at the end."""
    with tempfile.TemporaryDirectory(prefix="twofold-") as short:  # the path of a socket is limited
        demo = run("demo.py", {**environment, "TWOFOLD_DATABASE_URL": "", "TMPDIR": short})
        assert demo.returncode == 0, demo.stdout + demo.stderr
        assert demo.stderr == ""
        assert "in a temporary folder" in demo.stdout
        assert [path.name for path in Path(short).iterdir() if not path.name.startswith("runtime-")] == []


@pytest.mark.timeout(90)
def test_the_smallest_agent_recalls_what_it_was_told(environment: dict[str, str]) -> None:
    """The example of the README, run twice: it may be repeated."""
    for _ in range(2):
        example = run("with_service.py", environment)
        assert example.returncode == 0, example.stderr
        monday, tuesday = example.stdout.splitlines()
        assert monday == "monday: Noted."
        assert tuesday.startswith("tuesday: I remember: fact: ")
        assert "US Primary Ledger" in tuesday


@pytest.mark.timeout(90)
def test_the_graphs_work_in_an_agents_own_tools(environment: dict[str, str]) -> None:
    """Written by one tool call, read by another in a later session."""
    example = run("graph_in_a_tool.py", environment)
    assert example.returncode == 0, example.stderr
    lines = example.stdout.splitlines()
    assert "monday: calls remember" in lines
    assert "tuesday: calls look_up" in lines
    assert lines[-1].startswith("tuesday: I remember: close_period")
    assert lines[-1].endswith("FAILURE: open subledgers exist")

"""The examples a newcomer runs first, each as its own process, without any key."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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


@pytest.mark.timeout(90)
def test_the_graphs_are_steps_of_another_graph_and_a_failed_save_is_its_error(environment: dict[str, str]) -> None:
    """The app's run goes on from the step that failed; run twice: it may be repeated."""
    for _ in range(2):
        example = run("subgraph.py", environment)
        assert example.returncode == 0, example.stderr
        assert example.stdout.splitlines() == [
            "1: Noted.",
            "2: As I remember: The user works with the US Primary Ledger.",
            "3: ExtractionFailed, still to do: remember",
            "4: As I remember: The user works with company 1000.",
        ]

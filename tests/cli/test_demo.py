"""`twofold demo`, as a process of its own, without any key."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.cli.command import run, run_on_terminal
from tests.database import DatabaseServer


@pytest.fixture
def nowhere(database_server: DatabaseServer, tmp_path: Path) -> Iterator[dict[str, str]]:
    """Return an environment with an empty database; the home and the temporary files are the test's."""
    with database_server.database() as url:
        yield {
            "TWOFOLD_DATABASE_URL": url,
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


@pytest.mark.long
@pytest.mark.timeout(180)
def test_the_demo_answers_with_memory_and_admits_without(nowhere: dict[str, str], tmp_path: Path) -> None:
    """It judges its own answers by its exit code, and leaves no file."""
    demo = run(nowhere, "demo", timeout=150)
    assert demo.returncode == 0, demo.stdout + demo.stderr
    assert demo.stderr == ""
    with_memory, without = demo.stdout.split("with memory off")
    assert "<PAST_CONVERSATIONS>" in with_memory
    answer = " ".join(with_memory.split("nobody could answer")[1].split())
    assert "FAILURE: open subledgers exist" in answer
    assert "I don't know." in without
    assert "Every answer was right" in without
    assert list(tmp_path.glob("twofold-demo-*")) == []
    assert memories_in(nowhere["TWOFOLD_DATABASE_URL"]) == 0


@pytest.mark.long
@pytest.mark.timeout(180)
def test_the_demo_brings_a_database_of_its_own_and_leaves_nothing(nowhere: dict[str, str]) -> None:
    """Nothing is configured: a server starts in a temporary folder, and both are gone at the end.

    A terminal sees what takes a while.
    """
    with tempfile.TemporaryDirectory(prefix="twofold-") as short:  # the path of a socket is limited
        code, shown = run_on_terminal({**nowhere, "TWOFOLD_DATABASE_URL": "", "TMPDIR": short}, "demo")
        assert code == 0, shown
        assert "in a temporary folder" in shown
        for part in ("starting the database", "opening the memory", "remembering 12 conversations"):
            assert part in shown
        assert [path.name for path in Path(short).iterdir() if not path.name.startswith("runtime-")] == []

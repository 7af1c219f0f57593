"""Every command of every how-to does what the page says, typed in order from the root of a checkout."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.how_to import MARK, blocks, commands, expected, script, shown
from tests.packaging.project import ROOT

PAGES = sorted((ROOT / "docs" / "how-to").glob("*.md"))
NEEDS_A_CONTAINER_ENGINE = {"deploy.md"}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a folder that looks like the root of a checkout, for what a command leaves behind."""
    folder = tmp_path / "twofold"
    folder.mkdir()
    for entry in ROOT.iterdir():
        if not entry.name.startswith("."):
            (folder / entry.name).symlink_to(entry)
    return folder


@pytest.fixture(scope="module", autouse=True)
def curl() -> None:
    """Install what the how-tos speak HTTP with, where a machine does not have it."""
    if not shutil.which("curl"):
        subprocess.run(["apt-get", "install", "--yes", "--quiet", "curl"], capture_output=True, check=False)  # noqa: S607
    assert shutil.which("curl"), "the how-tos speak HTTP with curl: install Debian's package"


def environment(home: Path, database_url: str) -> dict[str, str]:
    """Return the environment of a terminal in which the project's `.venv` is active."""
    return {
        **os.environ,  # noqa: TID251 - cleaned by the guards
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",  # noqa: TID251
        "HOME": str(home),
        "TWOFOLD_DATABASE_URL": database_url,
        "TWOFOLD_SETTLE_SECONDS": "0",
        "ADK_DISABLE_LOCAL_STORAGE": "1",  # else sessions are written beside the agents, in the project's own tree
        "LANGGRAPH_NO_VERSION_CHECK": "1",
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "COLUMNS": "200",
    }


def free_ports(*usual: int) -> dict[int, int]:
    """Return a free port for each usual one."""
    probes = [socket.socket() for _ in usual]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = {port: int(probe.getsockname()[1]) for port, probe in zip(usual, probes, strict=True)}
    for probe in probes:
        probe.close()
    return ports


@pytest.mark.timeout(240)
@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=lambda page: page.stem)
def test_every_command_does_what_the_page_says(page: Path, checkout: Path, tmp_path: Path, database_url: str) -> None:
    typed = script(page, free_ports(2024, 2025, 8000))
    done = subprocess.run(
        ["bash", "-c", typed],  # noqa: S607
        cwd=checkout,
        env=environment(tmp_path, database_url),
        capture_output=True,
        text=True,
        timeout=220,
        check=False,
    )
    logs = "\n".join(log.read_text()[-3000:] for log in checkout.glob("server-*.log"))
    told = f"{done.stdout}\n{done.stderr}\n{logs}"
    assert done.returncode == 0, told
    outputs = [part.partition("\n")[2] for part in done.stdout.split(f"{MARK} ")[1:]]
    for number, lines in expected(page).items():
        for line in lines:
            assert shown(line, outputs[number]), f"{line!r} is not shown by command {number}:\n{told}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_only_what_needs_a_container_engine_is_not_run(page: Path) -> None:
    unrun = [block for block in blocks(page) if block.language == "sh" and "not run" in block.note]
    assert not unrun or page.name in NEEDS_A_CONTAINER_ENGINE

"""Agents as a user has them in a folder: the examples, and what a test puts beside them."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from twofold.store import postmaster

EXAMPLES = Path(__file__).parents[2] / "examples" / "agents"

# An agent as `adk create` leaves one: no App, so no plugin; `--extra_plugins` saves its sessions.
PLAIN = """
from google.adk.agents import LlmAgent
from google.adk.tools.preload_memory_tool import PreloadMemoryTool

from twofold.demo.month_end import close_period
from twofold.demo.scripted_model import ScriptedModel

root_agent = LlmAgent(
    name="plain",
    model=ScriptedModel(scripts={"close": ("close_period",)}),
    tools=[PreloadMemoryTool(), close_period],
)
"""


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """Lend a home with `examples/agents` in it; its path is short, as a socket's must be, and open to a server."""
    with tempfile.TemporaryDirectory(prefix="tf-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        agents = folder / "examples" / "agents"
        shutil.copytree(EXAMPLES, agents, ignore=shutil.ignore_patterns("__pycache__", ".adk"))
        (agents / "plain").mkdir()
        (agents / "plain" / "agent.py").write_text(PLAIN)
        yield folder
        data = folder / "data" / "postgres"
        if postmaster.serves(data):  # a test failed, or its server was killed
            os.kill(int((data / "postmaster.pid").read_text().split()[0]), signal.SIGQUIT)

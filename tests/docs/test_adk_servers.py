"""The how-to for ADK's own servers holds what is tested and what is shipped."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from tests.adk_servers import server

ROOT = Path(__file__).parents[2]
HOW_TO = (ROOT / "docs" / "how-to" / "adk-servers.md").read_text()
AGENTS = ROOT / "examples" / "agents"


def blocks(language: str) -> str:
    return "".join(re.findall(rf"^```(?:{language})(?: server)?\n(.*?)^```$", HOW_TO, re.DOTALL | re.MULTILINE))


def test_each_command_is_one_the_tests_run() -> None:
    tested = {value for value in vars(server).values() if isinstance(value, str) and value.startswith("adk ")}
    assert {line for line in blocks("sh|bash").splitlines() if line.startswith("adk ")} == tested


def test_the_services_file_is_the_one_of_the_examples_in_both_places() -> None:
    shown = yaml.safe_load(blocks("yaml"))
    assert yaml.safe_load((AGENTS / "services.yaml").read_text()) == shown
    assert yaml.safe_load((AGENTS / "month_end" / "services.yaml").read_text()) == shown

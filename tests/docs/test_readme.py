"""What README.md says is so."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_graphs_and_settings_are_as_in_the_code() -> None:
    check = [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"]
    done = subprocess.run(check, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("code", blocks("python"))
def test_python_in_the_readme_runs(code: str) -> None:
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - our own words


def test_every_make_command_in_the_readme_is_a_target() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"^make ([a-z]+)|`make ([a-z]+)`", README, re.MULTILINE))
    assert {name for pair in named for name in pair if name} <= targets
    assert {"demo", "test"} <= targets


@pytest.mark.timeout(300)
def test_make_demo_does_what_the_readme_says(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(prefix="twofold-") as short:  # the path of a socket is limited
        monkeypatch.setenv("TMPDIR", short)
        done = subprocess.run(["make", "demo"], cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S607
    assert done.returncode == 0, done.stdout + done.stderr
    request, _, rest = " ".join(done.stdout.split()).partition("</PAST_CONVERSATIONS>")
    assert "<PAST_CONVERSATIONS>" in request
    assert "FAILURE: open subledgers exist" in rest
    assert "I don't know." in rest


@pytest.mark.parametrize("page", [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")], ids=lambda page: page.name)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_every_file_that_architecture_names_exists() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = text.split("## Where do I change", 1)[1]
    for name in re.findall(r"`([a-z_]+/[a-z_/.]*)`", table):
        assert (ROOT / name).exists() or (ROOT / "src" / "twofold" / name).exists(), name

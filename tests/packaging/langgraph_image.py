"""The LangGraph server's image without a container engine: the steps of the CLI's Dockerfile, done here."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.packaging.project import ROOT, environment, hide

Copy = Callable[[Path, Path], Path]

# The last steps of the Dockerfile remove these from the image.
_GONE = ("pip", "pkg_resources", "setuptools", "wheel")


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """What the steps leave: an interpreter, the folder that a container starts in, and its environment."""

    python: Path
    workdir: Path
    variables: Mapping[str, str]

    def configs(self) -> dict[str, Any]:
        """Return what each variable says; the CLI writes all of them as JSON."""
        return {name: json.loads(value) for name, value in self.variables.items()}


def dockerfile(folder: Path) -> str:
    """Have the CLI write the Dockerfile for our langgraph.json."""
    path = folder / "Dockerfile"
    command = [sys.executable, "-P", "-m", "langgraph_cli", "dockerfile", "-c", str(ROOT / "langgraph.json"), str(path)]
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return path.read_text(encoding="utf-8")


def built(text: str, folder: Path, copy: Copy) -> Image:
    """Do the Dockerfile's steps below `folder`: copy the tree, install it as there, leave out the build tools.

    `copy` says what reaches the build. The libraries are borrowed instead of downloaded.
    """
    (place,) = re.findall(r"^ADD \. (/deps/\S+)$", text, re.MULTILINE)
    (workdir,) = re.findall(r"^WORKDIR (/deps/\S+)$", text, re.MULTILINE)
    assert re.findall(r"uv pip install .* -e \.", text)
    tree = copy(ROOT, folder / place.removeprefix("/"))
    python = environment(folder / "image")
    install = [sys.executable, "-P", "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index"]
    install += ["--no-deps", "--no-build-isolation", "--editable", "."]
    done = subprocess.run(install, cwd=tree, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    hide(folder / "image", *_GONE)
    variables = {name: value.replace("/deps/", f"{folder}/deps/") for name, value in variables_of(text).items()}
    return Image(python=python, workdir=folder / workdir.removeprefix("/"), variables=variables)


def variables_of(text: str) -> dict[str, str]:
    """Return what the ENV lines set. An apostrophe in a value would end it: such a line fits nothing here."""
    lines = [line for line in text.splitlines() if line.startswith("ENV ")]
    pairs = [re.fullmatch(r"ENV (\w+)='([^']*)'", line) for line in lines]
    assert all(pairs), lines
    return {pair[1]: pair[2] for pair in pairs if pair}

"""Secrets and local state reach no image, no upload and no release; what a build needs does."""

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.packaging.context import DockerIgnore, copy_of_archive, copy_of_context
from tests.packaging.project import LINKS, ROOT, copy_of_tree

CANARY = "do-not-ship-this"
LEFT_OUT = (
    ".env",
    ".env.production",
    ".git/config",
    ".langgraph_api/store.pckl",
    ".venv/lib/secret.txt",
    ".mypy_cache/a.json",
    "Dockerfile",
    "benchmarks/result.txt",
    "build/lib/twofold/old.py",
    "deploy/.env",
    "deploy/compose.override.yaml",
    "dist/twofold.whl",
    "docs/notes.md",
    "examples/.env",
    "graphs/.env",
    "nodes/__pycache__/state.cpython-311.pyc",
    "secrets.json",
    "src/twofold.egg-info/PKG-INFO",
    "nodes/.adk/session.db",
    "src/twofold/.env",
    "src/twofold/.env.local",
    "src/twofold/api/.langgraph_api/store.pckl",
    "store/dump.pyc",
    "tests/data/private.json",
)
NEEDED = {"LICENSE", "README.md", "langgraph.json", "pyproject.toml", "requirements/base.txt", "setup.py"}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the tree, and leave a canary wherever something lies that is nobody's business."""
    tree = copy_of_tree(tmp_path_factory.mktemp("context") / "tree")
    for name in (".dockerignore", ".gitignore", "langgraph.json"):
        shutil.copy(ROOT / name, tree)
    shutil.copytree(ROOT / "requirements", tree / "requirements")
    for name in LEFT_OUT:
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CANARY)
    return tree


@pytest.mark.parametrize("copy", [copy_of_context, copy_of_archive])
def test_an_image_and_an_upload_hold_what_a_build_needs_and_no_secret(tree: Path, tmp_path: Path, copy: object) -> None:
    assert callable(copy)
    arrived = copy(tree, tmp_path / "arrived")
    files = {path.relative_to(arrived).as_posix() for path in arrived.rglob("*") if path.is_file()}
    assert files >= NEEDED
    assert files >= {path.relative_to(ROOT).as_posix() for name in LINKS for path in (ROOT / name).rglob("*.py")}
    assert not files & set(LEFT_OUT)
    assert not [name for name in files if CANARY.encode() in (arrived / name).read_bytes()]


def test_a_release_holds_no_secret(tree: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "build", "--no-isolation", "--outdir", str(tmp_path), str(tree)]
    done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,), (sdist,) = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    with tarfile.open(sdist) as source:
        members = [(member.name, source.extractfile(member)) for member in source]
        contents |= {name: file.read() for name, file in members if file is not None}
    assert {name.split("/")[-1] for name in contents} >= {"LICENSE", "README.md", "persist.py", "0001_tables.sql"}
    assert not [name for name, content in contents.items() if CANARY.encode() in content]


@pytest.mark.parametrize(
    ("rules", "path", "left_out"),
    [
        (".env", ".env", True),
        (".env", "deploy/.env", False),  # to Docker a pattern is of the root; to git of any depth
        ("**/.env", ".env", True),
        ("**/.env", "deploy/inner/.env", True),
        ("**/.env.*", "deploy/.env.local", True),
        ("*", "notes.md", True),
        ("*", "src/deep/a.py", True),
        ("*\n!/src", "src/deep/a.py", False),
        ("*\n!/src\n**/__pycache__", "src/deep/__pycache__/a.pyc", True),
        ("*\n!/langgraph*.json", "langgraph.prod.json", False),
        ("/build", "src/build", False),
        ("# .env\n\n", ".env", False),
    ],
)
def test_patterns_mean_what_they_mean_to_docker(rules: str, path: str, left_out: bool) -> None:  # noqa: FBT001
    assert DockerIgnore(rules).leaves_out(path) is left_out


@pytest.mark.parametrize("rule", ["[ab].env", "a\\ b", "src/**", "a?"])
def test_a_pattern_that_is_not_understood_here_is_refused(rule: str) -> None:
    with pytest.raises(ValueError, match="not a form"):
        DockerIgnore(rule)

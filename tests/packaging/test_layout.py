"""The tree keeps its shape: links, names, sizes and lock files."""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.packaging.project import LINKS, LOCK_FILES, ROOT, copy_of_tree, python_files, root_folders

PRODUCT = ("src", *LINKS)
MOST_LINES = 250
MOST_TEST_LINES = 400
MOST_FUNCTION_LINES = 40
OWN_IMPORTS = {  # what a layer may import beside the standard library and twofold
    "src/twofold/memory": set[str](),
    "nodes": {"pydantic", "typing_extensions"},
}


@pytest.mark.parametrize("name", LINKS)
def test_a_linked_package_is_the_root_folder(name: str) -> None:
    """`twofold.graphs` is the folder `graphs` that a reader sees first."""
    link = ROOT / "src" / "twofold" / name
    assert link.is_dir()
    assert link.resolve() == ROOT / name


@pytest.mark.parametrize("loss", ["absent", "text file", "dangling"])
def test_setup_makes_lost_links_again(loss: str, tmp_path: Path) -> None:
    """An archive without links, or a checkout that knows none, builds the same package."""
    tree = copy_of_tree(tmp_path / "tree")
    for name in LINKS:
        lose(tree / "src" / "twofold" / name, loss)
    subprocess.run([sys.executable, "setup.py", "--quiet", "--version"], cwd=tree, check=True)
    for name in LINKS:
        link = tree / "src" / "twofold" / name
        assert link.is_symlink()
        assert link.resolve() == tree / name


def lose(link: Path, loss: str) -> None:
    """Break a link in one of the ways seen."""
    link.unlink()
    if loss == "text file":
        link.write_text(f"../../{link.name}")
    if loss == "dangling":
        link.symlink_to("../nowhere")


def test_no_root_folder_hides_a_module() -> None:
    """From the root, `import http` or `import types` finds Python's own module, not a folder of ours."""
    assert not set(root_folders()) & set(sys.stdlib_module_names)


def test_no_root_folder_was_imported() -> None:
    """A root folder imported by its bare name would be a second copy of module and graph."""
    assert not set(LINKS) & set(sys.modules)


@pytest.mark.parametrize("path", LOCK_FILES, ids=lambda path: path.name)
def test_a_lock_file_fits_every_machine(path: Path) -> None:
    """A lock file names versions and hashes: no registry, no option, no folder, nothing unpinned."""
    lines = [line for line in path.read_text().splitlines() if not line.lstrip().startswith("#")]
    names = [line for line in lines if line and not line.startswith(" ")]
    assert not [line for line in lines if "://" in line or "@" in line or line.startswith("-")]
    assert names
    assert not [line for line in names if not re.fullmatch(r"[a-z0-9.-]+==[^ ]+( ; .+)? \\", line)]


def test_lock_files_agree() -> None:
    """One set of versions: each smaller file is a part of the larger one."""
    base, demo, dev = (pins(ROOT / "requirements" / f"{name}.txt") for name in ("base", "demo", "dev"))
    assert base <= demo <= dev
    assert {"pytest", "ruff", "langgraph-api"} <= {pin.partition("==")[0] for pin in dev - demo}


def pins(path: Path) -> set[str]:
    """Read the pinned requirements of a lock file."""
    return set(re.findall(r"^[a-z0-9.-]+==[^ ]+", path.read_text(), re.MULTILINE))


def long_functions(tree: ast.Module) -> Iterator[str]:
    """Name the functions whose body, without its docstring, is over the limit."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            lines = (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
            if lines > MOST_FUNCTION_LINES:
                yield f"{node.name}: {lines} lines"


def imported(tree: ast.Module) -> set[str]:
    """Name the top-level packages that a module imports."""
    plain = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    named = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in plain | named}


def parsed(path: Path) -> tuple[list[str], set[str]]:
    """Return the long functions of a file and what it imports."""
    tree = ast.parse(path.read_text())
    return list(long_functions(tree)), imported(tree)


# While tests are collected: later the garbage collector may run in the middle of it, tell of what another test left
# in a traceback, and so parse as well, which this Python's parser does not stand (SystemError).
PARSED = {path: parsed(path) for path in python_files(*PRODUCT, "tests")}


@pytest.mark.parametrize("path", PARSED, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_fits_a_reader(path: Path) -> None:
    """A file is read in one sitting and a function on one screen."""
    most = MOST_TEST_LINES if path.is_relative_to(ROOT / "tests") else MOST_LINES
    assert len(path.read_text().splitlines()) <= most
    assert not PARSED[path][0]


def test_only_settings_reads_the_environment() -> None:
    """Every setting comes in by one door, and is checked and documented there."""
    settings = ROOT / "src" / "twofold" / "settings.py"
    reads = re.compile(r"\bos\.(environ|getenv)")
    readers = {path for path in python_files(*PRODUCT) if reads.search(path.read_text())}
    assert readers <= {settings}


@pytest.mark.parametrize("folder", OWN_IMPORTS)
def test_inner_layers_stand_on_python_alone(folder: str) -> None:
    """The vocabulary and the steps can be read, typed and tested without a library."""
    allowed = OWN_IMPORTS[folder] | sys.stdlib_module_names | {"twofold"}
    for path in python_files(folder):
        assert PARSED[path][1] <= allowed, path


def test_the_copy_is_not_the_tree(tmp_path: Path) -> None:
    """The tests above break a copy: its links are links, and point into the copy."""
    tree = copy_of_tree(tmp_path / "tree")
    assert (tree / "src" / "twofold" / "graphs").resolve() == tree / "graphs"
    shutil.rmtree(tree)
    assert (ROOT / "graphs").is_dir()

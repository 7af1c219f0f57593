"""The wheel holds the whole package and nothing else, and works where the tree is out of sight."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import twofold
from tests.packaging.project import LINKS, ROOT, copy_of_tree, environment, hide

IMPORT_ALL = """
import sys
import twofold, twofold.memory, twofold.nodes, twofold.graphs, twofold.store
import twofold.adk, twofold.api.serve, twofold.app, twofold.cli.main, twofold.demo, twofold.models.open
import twofold.remote, twofold.testing
print(twofold.__version__, *(module.__file__ for name, module in sys.modules.items() if name.startswith("twofold")))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source archive, and the wheel from it, as a release does."""
    folder = tmp_path_factory.mktemp("wheel")
    tree = copy_of_tree(folder / "tree")
    build = [sys.executable, "-P", "-m", "build", "--no-isolation", "--outdir", str(folder / "dist"), str(tree)]
    done = subprocess.run(build, cwd=folder, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = (folder / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def files(wheel: Path) -> set[str]:
    """List the files in the wheel."""
    return set(zipfile.ZipFile(wheel).namelist())


def test_the_wheel_claims_one_name(files: set[str]) -> None:
    """An installer gets `twofold` and its metadata: no `graphs` or `tests` beside other people's packages."""
    tops = {name.partition("/")[0] for name in files}
    assert tops == {"twofold", f"twofold-{twofold.__version__}.dist-info"}


def test_the_wheel_holds_every_source_file(files: set[str]) -> None:
    """Each module, SQL file, marker and recording of the tree is in the wheel, the linked folders' too."""
    assert {name for name in files if name.startswith("twofold/")} == sources()


def sources() -> set[str]:
    """List what the package consists of, by its place in the wheel."""
    package = ROOT / "src" / "twofold"
    found: set[Path] = set()
    for kind in ("*.py", "*.sql", "py.typed"):
        found.update(path.relative_to(package) for path in package.rglob(kind))
        found.update(path.relative_to(ROOT) for name in LINKS for path in (ROOT / name).rglob(kind))
    found.update(path.relative_to(package) for path in (package / "demo" / "data").glob("*/*"))
    return {f"twofold/{path.as_posix()}" for path in found}


def test_the_wheel_works_away_from_the_tree(wheel: Path, tmp_path: Path) -> None:
    """Installed elsewhere, with the tree and the LangGraph server out of sight, every package imports."""
    python = environment(tmp_path / "venv")
    hide(tmp_path / "venv", "langgraph_api", "langgraph_cli", "langgraph_runtime")
    pip = [sys.executable, "-P", "-m", "pip", "--python", str(python)]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--no-index", str(wheel)], cwd=tmp_path, check=True)
    script = [str(python), "-c", IMPORT_ALL]
    shown = subprocess.run(script, cwd=tmp_path, check=True, capture_output=True, text=True)
    version, *places = shown.stdout.split()
    assert version == twofold.__version__
    assert [place for place in places if not place.startswith(str(tmp_path / "venv"))] == []

"""The project's own files, as these tests see them."""

import shutil
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINKS = ("graphs", "nodes", "store")
LOCK_FILES = sorted((ROOT / "requirements").glob("*.txt"))
LEFT_OUT = {"build", "dist", "__pycache__"}


def python_files(*folders: str) -> list[Path]:
    """List the project's Python files below the given folders of the root, each file once."""
    found = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return sorted({path.resolve() for path in found if not LEFT_OUT.intersection(path.parts)})


def root_folders() -> list[str]:
    """List the folders of the root that are the project's, not a tool's."""
    folders = (path.name for path in ROOT.iterdir() if path.is_dir())
    return sorted(name for name in folders if not name.startswith(".") and name not in LEFT_OUT)


def copy_of_tree(target: Path) -> Path:
    """Copy what a build needs, links as links."""
    target.mkdir()
    wanted = ["pyproject.toml", "setup.py", "LICENSE", "README.md", "src", *LINKS]
    left_out = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in wanted:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target / name, symlinks=True, ignore=left_out)
        else:
            shutil.copy(ROOT / name, target)
    return target


def environment(folder: Path) -> Path:
    """Make an environment that borrows the installed libraries, less the project itself, and return its Python.

    A folder that a `.pth` file adds to the path does not have its own `.pth` files read, so the editable
    install of the tree stays out.
    """
    venv.create(folder, with_pip=False, symlinks=True)
    (site(folder) / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    return folder / "bin" / "python"


def site(folder: Path) -> Path:
    """Return where an environment keeps its packages."""
    return folder / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"


def hide(folder: Path, *packages: str) -> None:
    """Have an environment find no such packages, though it borrows them."""
    gone = dict.fromkeys(packages)
    (site(folder) / "hidden.pth").write_text(f"import sys; sys.modules.update({gone!r})")

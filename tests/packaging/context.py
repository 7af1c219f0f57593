"""What a build gets to see of a folder: Docker's build context, and the archive of `langgraph deploy`."""

import re
import shutil
import tarfile
import warnings
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from langgraph_cli.archive import create_archive
from langgraph_cli.config import validate_config_file

_FORM = re.compile(r"(\*\*/)?(?!.*\*\*)[\w.*-]+(/[\w.*-]+)*")


class DockerIgnore:
    """A `.dockerignore` as BuildKit reads it, for the forms `*`, `/a*/b`, `**/a*` and `!` before any of them."""

    def __init__(self, text: str) -> None:
        """Take the file's text. Raises ValueError for a form that is not understood here."""
        lines = (line.strip() for line in text.splitlines())
        self._rules = [_rule(line) for line in lines if line and not line.startswith("#")]

    def leaves_out(self, path: str) -> bool:
        """Whether the last rule that fits the path, or a folder above it, is one that leaves out."""
        above = [str(parent) for parent in PurePosixPath(path).parents][:-1]
        verdicts = [out for out, form in self._rules if any(form.fullmatch(part) for part in (path, *above))]
        return bool(verdicts) and verdicts[-1]


def _rule(line: str) -> tuple[bool, re.Pattern[str]]:
    pattern = line.removeprefix("!").removeprefix("/")
    if not _FORM.fullmatch(pattern):
        raise ValueError(f"not a form that is understood here: {line!r}")
    start, rest = ("(.*/)?", pattern[3:]) if pattern.startswith("**/") else ("", pattern)
    words = "[^/]*".join(re.escape(part) for part in rest.split("*"))
    return not line.startswith("!"), re.compile(start + words)


def copy_of_context(root: Path, target: Path) -> Path:
    """Copy what `ADD .` copies into an image: links stay links, empty folders stay out."""
    for path in sorted(context(root)):
        place = target / path.relative_to(root)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, place, follow_symlinks=False)
    return target


def context(root: Path) -> Iterator[Path]:
    """List the files and links that Docker sends. A folder left out at the root has nothing taken in again."""
    ignore = DockerIgnore((root / ".dockerignore").read_text(encoding="utf-8"))
    pending = [root]
    while pending:
        for path in pending.pop().iterdir():
            if ignore.leaves_out(path.relative_to(root).as_posix()):
                continue
            if path.is_dir() and not path.is_symlink():
                pending.append(path)
            else:
                yield path


def copy_of_archive(root: Path, target: Path) -> Path:
    """Unpack what `langgraph deploy` uploads: the CLI's own archive, which holds no links."""
    config = root / "langgraph.json"
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "GitWildMatchPattern", DeprecationWarning)  # the CLI's own
        with create_archive(config, validate_config_file(config)) as (path, *_), tarfile.open(path) as archive:
            archive.extractall(target, filter="data")
    return target

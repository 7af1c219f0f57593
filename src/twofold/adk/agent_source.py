"""What an agent's own files say, read and not run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PYTHON = "agent.py"
YAML = "root_agent.yaml"
MOST_FILES = 500
MOST_BYTES = 1_000_000
DEEPEST = 5
_NOT_SOURCE = {"__pycache__", "node_modules", "tmp"}
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSource:
    """An agent: the names its files use, and the name of its App."""

    folder: Path
    names: frozenset[str]
    has_app: bool
    app_name: str | None
    unreadable: str = ""

    def uses(self, *names: str) -> bool:
        """Whether any of these names stands in the agent's files."""
        return not self.names.isdisjoint(names)


@dataclass(frozen=True, slots=True, kw_only=True)
class _App:
    front: bool
    name: str | None


def is_agent(folder: Path) -> bool:
    """Whether ADK takes this folder for one agent, not for a folder of agents."""
    return (folder / PYTHON).is_file() or (folder / YAML).is_file()


def agents_in(folder: Path) -> Iterator[Path]:
    """Yield the folders below that ADK takes for agents, as deep as `adk web` looks for them."""
    pending = [(folder, 0)]
    while pending:
        here, depth = pending.pop()
        if depth and is_agent(here):
            yield here
        if depth < DEEPEST:
            below = [path for path in here.iterdir() if path.is_dir() and _is_source(path)]
            pending += [(path, depth + 1) for path in sorted(below, reverse=True)]


def source_of(folder: Path) -> AgentSource:
    """Read an agent's files, without importing any."""
    names: set[str] = set()
    apps: list[_App] = []
    imported = False
    unreadable = ""
    for path in _files(folder):
        front = path in (folder / PYTHON, folder / "__init__.py")
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError) as error:
            if front:  # another file may be a template, or for another Python
                unreadable = unreadable or f"{path.name}, line {getattr(error, 'lineno', None) or '?'}"
            continue
        names.update(_names(tree))
        imported = imported or (front and "app" in _imported(tree))
        apps += [_App(front=front, name=_name(call, _texts(tree))) for call in _apps(tree)]
    if (folder / YAML).is_file():
        names.update(_WORD.findall((folder / YAML).read_text(errors="replace")))
    # ADK finds the App in these two files, where it may have been imported to.
    found = [app for app in apps if app.front] or (apps if imported else [])
    return AgentSource(
        folder=folder,
        names=frozenset(names),
        has_app=bool(found) or imported,
        app_name=found[0].name if found and len({app.name for app in found}) == 1 else None,
        unreadable=unreadable,
    )


def _is_source(path: Path) -> bool:
    return path.name not in _NOT_SOURCE and not path.name.startswith(".")


def _files(folder: Path) -> list[Path]:
    found: list[Path] = []
    pending = [folder]
    while pending and len(found) < MOST_FILES:
        for path in sorted(pending.pop().iterdir()):
            if path.is_dir() and not path.is_symlink() and _is_source(path):
                pending.append(path)
            elif path.suffix == ".py" and path.is_file() and path.stat().st_size <= MOST_BYTES:
                found.append(path)
    return found


def _names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield node.name.rsplit(".", 1)[-1]


def _imported(tree: ast.Module) -> set[str]:
    return {
        alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }


def _apps(tree: ast.Module) -> Iterator[ast.Call]:
    """Yield the calls that make an App called `app`, which is the name ADK looks for."""
    for targets, value in _assigned(tree):
        if "app" in targets and isinstance(value, ast.Call):
            made = value.func
            if (made.attr if isinstance(made, ast.Attribute) else getattr(made, "id", "")) == "App":
                yield value


def _texts(tree: ast.Module) -> dict[str, str]:
    """Return the names a module gives to plain texts."""
    return {
        target: value.value
        for targets, value in _assigned(tree)
        if isinstance(value, ast.Constant) and isinstance(value.value, str)
        for target in targets
    }


def _assigned(tree: ast.Module) -> Iterator[tuple[set[str], ast.expr]]:
    for node in tree.body:
        if isinstance(node, ast.Assign):
            yield {target.id for target in node.targets if isinstance(target, ast.Name)}, node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            yield {node.target.id}, node.value


def _name(app: ast.Call, texts: dict[str, str]) -> str | None:
    """Return the App's name, None where only running the module would tell it."""
    given = next((keyword.value for keyword in app.keywords if keyword.arg == "name"), None)
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        return given.value
    return texts.get(given.id) if isinstance(given, ast.Name) else None

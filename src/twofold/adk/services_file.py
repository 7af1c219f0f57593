"""The files that tell ADK's own servers what `--memory_service_uri twofold:///` means."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from twofold.memory.findings import Finding

OURS = "twofold.adk.MemoryService"
SCHEMES = ("twofold", "twofold+postgresql", "twofold+http", "twofold+https")
FILES = ("services.yaml", "services.yml")
SNIPPET = f"services: [{{scheme: twofold, type: memory, class: {OURS}}}]"


def services_findings(folder: Path, *, needed_by: str, optional: bool = False) -> Iterator[Finding]:
    """Tell whether ADK, given this folder, knows twofold's addresses.

    `needed_by` are the commands that read this folder; `optional`: they may not be the ones in use.
    """
    registered: set[str] = set()
    files = [folder / name for name in FILES if (folder / name).is_file()]
    for path in files:
        schemes, problems = _read(path)
        yield from problems
        registered |= schemes
        if problems:
            return  # ADK stops there too, and what else is wrong follows from it
    registered |= _registered_by_code(folder / "services.py")
    if "twofold" in registered:
        about = next((path for path in files), folder / "services.py")
        known = ", ".join(scheme for scheme in SCHEMES if scheme in registered)
        yield Finding(level="ok", about=str(about), found=f"ADK knows the addresses {known}")
        yield from _shadowed(folder, by_code=not files)
        return
    where = files[0] if files else folder / FILES[0]
    yield Finding(
        level="warning" if optional else "problem",
        about=str(where),
        found=f"{needed_by} would say `Unsupported memory service URI` for twofold:///: "
        + ("it does not register the scheme" if files else "there is no such file"),
        remedy=f"write into {where}: `{SNIPPET}`",
    )


def _read(path: Path) -> tuple[set[str], list[Finding]]:
    """Return the schemes that lead to twofold, and what keeps ADK from reading the file."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        return set(), [_wrong(path, f"it is not YAML{line}; ADK says so in a warning only, and goes on without it")]
    entries = (content.get("services") or []) if isinstance(content, dict) else []
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        return set(), [_wrong(path, "`services` is not a list of entries with scheme, type and class")]
    schemes: set[str] = set()
    problems: list[Finding] = []
    for entry in entries:
        problem = _problem(entry, path.parent)
        if problem:
            problems.append(_wrong(path, problem))
        elif entry.get("class") == OURS:
            schemes.add(str(entry["scheme"]))
    return schemes, problems


def _problem(entry: dict[str, Any], folder: Path) -> str:
    """Return what is wrong with an entry, empty if nothing is."""
    scheme, kind, path = (entry.get(key) for key in ("scheme", "type", "class"))
    if not (scheme and kind and path):
        return f"the entry for {scheme or path or '?'!s:.80} lacks its scheme, type or class; ADK leaves it out"
    known = _importable(str(path), folder)
    if not known:
        return f"the class {path!s:.80} cannot be imported; ADK says so in a warning only, and reads no further"
    if path != OURS:
        return ""
    if kind != "memory":
        return f"the type of {scheme!s:.80} is {kind!s:.80}, and {OURS} is a memory"
    if scheme not in SCHEMES:
        return _wrong_scheme(str(scheme))
    return ""


def _wrong_scheme(scheme: str) -> str:
    if urlsplit(f"{scheme}:///").scheme != scheme:
        return f"the scheme {scheme:.80} can stand in no address: they are lower case, letters, digits and `+`"
    return f"{OURS} does not answer to the scheme {scheme:.80}, only to {', '.join(SCHEMES)}"


def _importable(path: str, folder: Path) -> bool:
    """Whether a class can be there. Only twofold's own are imported to see; of others the package is looked for."""
    module, _, name = path.rpartition(".")
    top = module.partition(".")[0]
    if not top:
        return False
    if top == "twofold":
        try:
            return hasattr(importlib.import_module(module), name)
        except ImportError:
            return False
    return (folder / top).is_dir() or (folder / f"{top}.py").is_file() or installed(top)


def installed(package: str) -> bool:
    """Whether a top-level package can be imported, without importing it."""
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def _registered_by_code(path: Path) -> set[str]:
    """Return the schemes that a `services.py` registers for memory, as far as its text tells."""
    try:
        tree = ast.parse(path.read_bytes()) if path.is_file() else ast.Module([], [])
    except (SyntaxError, ValueError):
        return set()
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]
    return {
        str(call.args[0].value)
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and call.func.attr == "register_memory_service"
        and isinstance(call.args[0], ast.Constant)
    }


def _shadowed(folder: Path, *, by_code: bool) -> Iterator[Finding]:
    if by_code and (folder / "services" / "__init__.py").is_file():
        yield Finding(
            level="problem",
            about=str(folder / "services.py"),
            found="ADK imports `services`, which is the folder of that name beside it, and never this file",
            remedy=f"rename the folder, or write {FILES[0]} instead: `{SNIPPET}`",
        )


def _wrong(path: Path, found: str) -> Finding:
    return Finding(level="problem", about=str(path), found=found, remedy=f"an entry that works: `{SNIPPET}`")

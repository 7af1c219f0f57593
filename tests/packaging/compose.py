"""The compose files of deploy/, with their variables filled in as Docker Compose does it."""

import re
from collections.abc import Mapping
from typing import Any

import yaml

from tests.packaging.project import ROOT

DEPLOY = ROOT / "deploy"
FILES = ("compose.yaml", "compose.langgraph.yaml")
PASSWORDS = {name: f"p@ss '{name}'" for name in ("TWOFOLD_APP_PASSWORD", "TWOFOLD_MIGRATOR_PASSWORD")}
GIVEN = {**PASSWORDS, "POSTGRES_PASSWORD": "root", "LANGGRAPH_CLOUD_LICENSE_KEY": "licence"}

_VARIABLE = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")


def services(file: str, given: Mapping[str, str] | None = None) -> dict[str, dict[str, Any]]:
    """Return a file's services; `given` are the variables set, the needed ones unless said otherwise."""
    text = (DEPLOY / file).read_text(encoding="utf-8")
    found: dict[str, dict[str, Any]] = _filled(yaml.safe_load(text)["services"], GIVEN if given is None else given)
    return found


def environment_of(service: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, str]:
    """Return what a container of a service gets; a name without a value is passed on if it is set."""
    named = service["environment"].items()
    return {name: str(value if value is not None else given[name]) for name, value in named if _set(name, value, given)}


def variables(file: str) -> set[str]:
    """Return the names that a file has filled in."""
    return {match[1] for match in _VARIABLE.finditer((DEPLOY / file).read_text(encoding="utf-8"))}


def example() -> dict[str, str]:
    """Return the variables of .env.example, those too that are commented out."""
    lines = (DEPLOY / ".env.example").read_text(encoding="utf-8").splitlines()
    pairs = [re.fullmatch(r"#?([A-Z_]+)=(.*)", line) for line in lines]
    return {pair[1]: pair[2].strip("'") for pair in pairs if pair}


def _set(name: str, value: object, given: Mapping[str, str]) -> bool:
    return value is not None or name in given


def _filled(node: Any, given: Mapping[str, str]) -> Any:
    if isinstance(node, dict):
        return {key: _filled(value, given) for key, value in node.items()}
    if isinstance(node, list):
        return [_filled(value, given) for value in node]
    return _VARIABLE.sub(lambda match: _value(match, given), node) if isinstance(node, str) else node


def _value(match: re.Match[str], given: Mapping[str, str]) -> str:
    name, form, rest = match.groups()
    if form == "?" and not given.get(name):
        raise LookupError(f"{name}: {rest}")
    return given.get(name) or (rest if form == "-" else "")

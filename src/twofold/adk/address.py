"""What the address of a memory service says: a database, or a server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import urlsplit

from twofold.memory.errors import SettingsInvalid

OURS = "twofold+"


@dataclass(frozen=True, slots=True)
class DatabasePlace:
    """The memory is worked on in this process; without a URL on the configured database, else the embedded one."""

    url: str | None


@dataclass(frozen=True, slots=True)
class ServerPlace:
    """The memory is on a twofold server."""

    url: str


Place: TypeAlias = DatabasePlace | ServerPlace


def place_of(uri: str | None) -> Place:
    """Return where the memory is that a service's address names. Raises SettingsInvalid naming the forms that work."""
    if uri is None or uri in {"", "twofold:", "twofold://", "twofold:///"}:
        return DatabasePlace(None)
    address = uri.removeprefix(OURS)
    scheme = _scheme(address)
    if scheme in {"postgresql", "postgres"}:
        return DatabasePlace(address)
    if scheme in {"http", "https"}:
        return ServerPlace(address)
    raise SettingsInvalid(
        f"uri: the scheme {scheme!r} is not known; use twofold:/// (the configured database, else an embedded one),"
        " postgresql://… or twofold+postgresql://… (a database), https://… or twofold+https://… (a twofold server)"
    )


def _scheme(address: str) -> str:
    try:
        return urlsplit(address).scheme
    except ValueError:
        return ""

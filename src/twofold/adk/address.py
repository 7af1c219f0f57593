"""What the address of a memory service says about its database."""

from __future__ import annotations

from urllib.parse import urlsplit

from twofold.memory.errors import SettingsInvalid

OURS = "twofold+"


def database_of(uri: str | None) -> str | None:
    """Return the database URL in a service address, None for the configured or embedded one.

    Raises SettingsInvalid naming the forms that work.
    """
    if uri is None or uri in {"", "twofold:", "twofold://", "twofold:///"}:
        return None
    address = uri.removeprefix(OURS)
    if urlsplit(address).scheme in {"postgresql", "postgres"}:
        return address
    raise SettingsInvalid(
        f"uri: the scheme {urlsplit(uri).scheme!r} is not known; use twofold:/// (the configured database, else an"
        " embedded one), postgresql://… or twofold+postgresql://…"
    )

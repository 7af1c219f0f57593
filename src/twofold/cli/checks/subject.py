"""What is examined, and what the first checks found out for the later ones."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from twofold.memory.findings import Finding
from twofold.settings import Settings
from twofold.store.database import Database
from twofold.store.examination import Examined


@dataclass(slots=True, kw_only=True)
class Subject:
    """An installation. `url` and `examined` are None while, or where, no database could be looked at."""

    settings: Settings
    agents: Path | None = None
    call_models: bool = False
    url: str | None = None
    examined: Examined | None = None

    @property
    def is_usable(self) -> bool:
        """Whether the tables can be read."""
        prepared = self.examined.prepared if self.examined else None
        return prepared is not None and prepared.current and not (self.examined and self.examined.lacking)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Database]:
        """Open the database to read its tables. Raises StoreUnavailable."""
        from twofold.clock import SystemClock
        from twofold.memory.errors import StoreUnavailable
        from twofold.store.database import open_database

        prepared = self.examined.prepared if self.examined else None
        if self.url is None or prepared is None:
            raise StoreUnavailable("There is no prepared database")
        async with open_database(
            self.url, dims=prepared.dims, ttl_days=self.settings.ttl_days, clock=SystemClock(), pool_size=2
        ) as database:
            yield database


def ok(about: str, found: str) -> Finding:
    """Return a finding that all is well."""
    return Finding(level="ok", about=about, found=found)


def unchecked(about: str, found: str) -> Finding:
    """Return a finding of what is set, but was not tried."""
    return Finding(level="unchecked", about=about, found=found)


def warning(about: str, found: str, remedy: str) -> Finding:
    """Return a finding that somebody should look at."""
    return Finding(level="warning", about=about, found=found, remedy=remedy)


def problem(about: str, found: str, remedy: str = "") -> Finding:
    """Return a finding that something does not work."""
    return Finding(level="problem", about=about, found=found, remedy=remedy)

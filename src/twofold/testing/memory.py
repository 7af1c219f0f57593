"""A whole memory on a database that nobody else sees and that is gone afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from twofold.adk.service import MemoryService
from twofold.app import MemoryApp
from twofold.memory.ports import Clock
from twofold.models.offline import OfflineNarrator
from twofold.models.open import Models
from twofold.settings import load_settings
from twofold.store.embedded import start_embedded
from twofold.store.throwaway import throwaway_database
from twofold.testing.models import EchoExtractor, HashEmbedder


def test_models() -> Models:
    """Return models that are small and predictable: each user turn is a fact, words are what texts share."""
    return Models(facts=EchoExtractor(), narrator=OfflineNarrator(), embedder=HashEmbedder())


@asynccontextmanager
async def memory_app(
    database_url: str | None = None, *, models: Models | None = None, clock: Clock | None = None, **settings: object
) -> AsyncIterator[MemoryApp]:
    """Open an app on a throw-away database, or on the one given; `settings` are those of `load_settings`."""
    with _database(database_url) as url:
        chosen = load_settings(**{"database_url": url, **settings})
        async with MemoryApp.open(chosen, models=models or test_models(), clock=clock) as app:
            yield app


@asynccontextmanager
async def memory_service(
    database_url: str | None = None, *, models: Models | None = None, wait: bool = True, **parameters: Any
) -> AsyncIterator[MemoryService]:
    """Lend a `MemoryService` on a throw-away database, or on the one given; a session added is stored at once.

    `parameters` are those of `MemoryService`.
    """
    with _database(database_url) as url:
        service = MemoryService(url, models=models or test_models(), wait=wait, **parameters)
        try:
            yield service
        finally:
            await service.close()


@contextmanager
def _database(given: str | None) -> Iterator[str]:
    if given is not None:
        yield given
        return
    with throwaway_database(_server()) as url:
        yield url


@cache
def _server() -> str:
    """Start one embedded server for all throw-away databases of this process; it stops when the process ends."""
    return start_embedded(Path(tempfile.mkdtemp(prefix="twofold-testing-")) / "data")


test_models.__test__ = False  # type: ignore[attr-defined]  # a name pytest would collect

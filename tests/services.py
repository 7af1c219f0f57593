"""Memory services over a database of their own, without a model: in this process, and on a server."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
import pytest_asyncio
from google.adk.sessions.database_session_service import DatabaseSessionService
from psycopg import conninfo

from tests.acceptance.host import Host
from tests.database import DatabaseServer
from tests.remote.served import KEY, served
from twofold.adk import MemoryService
from twofold.adk.scopes import ScopeOf
from twofold.models.offline import OfflineNarrator
from twofold.models.open import Models
from twofold.store.migrate import migrate
from twofold.testing import EchoExtractor, HashEmbedder

__all__ = [
    "database_url",
    "embedder",
    "empty_database_url",
    "host",
    "migrated",
    "models",
    "service",
    "services",
    "sessions",
]

_names = (f"migrated_{number}" for number in itertools.count(1))


class Services:
    """Makes memory services on one database, and closes them at the end."""

    def __init__(self, database_url: str, models: Models) -> None:
        self.database_url = database_url
        self.models = models
        self._made: list[MemoryService] = []

    def make(
        self, *, models: Models | None = None, scope: ScopeOf | None = None, wait: bool = False, **settings: Any
    ) -> MemoryService:
        """Return a service; `models` and `settings` are those of the memory."""
        service = self._service(models or self.models, {"scope": scope, "wait": wait}, settings)
        self._made.append(service)
        return service

    async def close(self) -> None:
        """Close what was made, and end what it was served by."""
        for service in self._made:
            await service.close()
        self._made.clear()

    def _service(self, models: Models, parameters: dict[str, Any], settings: dict[str, Any]) -> MemoryService:
        return MemoryService(self.database_url, models=models, **parameters, **settings)


class RemoteServices(Services):
    """Makes a server for each service."""

    def __init__(self, database_url: str, models: Models) -> None:
        super().__init__(database_url, models)
        self._servers = ExitStack()

    async def close(self) -> None:
        await super().close()
        await asyncio.to_thread(self._servers.close)

    def _service(self, models: Models, parameters: dict[str, Any], settings: dict[str, Any]) -> MemoryService:
        url = self._servers.enter_context(served(self.database_url, models, **settings))
        return MemoryService(url, service_key=KEY, **parameters)


@pytest_asyncio.fixture(params=[Services, RemoteServices], ids=["in process", "remote"])
async def services(request: pytest.FixtureRequest, database_url: str, models: Models) -> AsyncIterator[Services]:
    """Return what makes memory services of one kind, on a database of their own."""
    services: Services = request.param(database_url, models)
    yield services
    await services.close()


@pytest.fixture
def service(services: Services) -> MemoryService:
    """Return a memory service."""
    return services.make()


@pytest.fixture
def host(service: MemoryService, sessions: DatabaseSessionService) -> Host:
    """Return an ADK host with memory."""
    return Host(service=service, sessions=sessions)


@pytest.fixture(scope="session")
def migrated(database_server: DatabaseServer) -> str:
    """Return the name of a database that is ready for `HashEmbedder`, to be copied."""
    name, embedder = next(_names), HashEmbedder()
    database_server.create(name)
    asyncio.run(migrate(database_server.url(name), dims=embedder.dims, embedder=embedder.name))
    return name


@pytest.fixture
def database_url(database_server: DatabaseServer, migrated: str) -> Iterator[str]:
    """Lend a migrated database that only this test sees."""
    with database_server.database(template=migrated) as settings:
        yield as_url(settings)


@pytest.fixture
def empty_database_url(database_server: DatabaseServer) -> Iterator[str]:
    """Lend an empty database."""
    with database_server.database() as settings:
        yield as_url(settings)


def as_url(settings: str) -> str:
    """Return connection settings as the URL a user writes."""
    parameters = conninfo.conninfo_to_dict(settings)
    database = parameters.pop("dbname")
    return f"postgresql:///{database}?{urlencode(parameters, quote_via=quote)}"


@pytest.fixture
def embedder() -> HashEmbedder:
    """Return an embedder that records what it was asked."""
    return HashEmbedder()


@pytest.fixture
def models(embedder: HashEmbedder) -> Models:
    """Return models that need no network: each user turn is a fact, shared words make texts near."""
    return Models(facts=EchoExtractor(), narrator=OfflineNarrator(), embedder=embedder)


@pytest_asyncio.fixture
async def sessions(tmp_path: Path) -> AsyncIterator[DatabaseSessionService]:
    """Return ADK's own session service on SQLite."""
    sessions = DatabaseSessionService(f"sqlite+aiosqlite:///{tmp_path / 'sessions.db'}")
    yield sessions
    await sessions.close()

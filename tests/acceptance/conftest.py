"""Memory on a database of its own, without a model, and sessions in SQLite."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
import pytest_asyncio
from google.adk.sessions.database_session_service import DatabaseSessionService
from psycopg import conninfo

from tests.acceptance.host import Host
from tests.database import DatabaseServer
from twofold.adk import MemoryService
from twofold.models.offline import OfflineNarrator
from twofold.models.open import Models
from twofold.store.migrate import migrate
from twofold.testing import EchoExtractor, HashEmbedder

EXAMPLES = Path(__file__).parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))  # as `python examples/demo.py` has it

MIGRATED = "acceptance"


@pytest.fixture(scope="session")
def migrated(database_server: DatabaseServer) -> str:
    """Return the name of a database that is ready for `HashEmbedder`, to be copied."""
    database_server.create(MIGRATED)
    embedder = HashEmbedder()
    asyncio.run(migrate(database_server.url(MIGRATED), dims=embedder.dims, embedder=embedder.name))
    return MIGRATED


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
async def service(database_url: str, models: Models) -> AsyncIterator[MemoryService]:
    """Return a memory service on a database of its own."""
    service = MemoryService(database_url, models=models)
    yield service
    await service.close()


@pytest_asyncio.fixture
async def sessions(tmp_path: Path) -> AsyncIterator[DatabaseSessionService]:
    """Return ADK's own session service on SQLite."""
    sessions = DatabaseSessionService(f"sqlite+aiosqlite:///{tmp_path / 'sessions.db'}")
    yield sessions
    await sessions.close()


@pytest.fixture
def host(service: MemoryService, sessions: DatabaseSessionService) -> Host:
    """Return an ADK host with memory."""
    return Host(service=service, sessions=sessions)

"""The HTTP API in this process, on a database of its own."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator

import httpx
import pytest
from fastapi import FastAPI

from tests.database import DatabaseServer
from tests.http.callers import Tokens
from twofold.api.http_app import build_app
from twofold.app import MemoryApp
from twofold.store.migrate import migrate
from twofold.testing import HashEmbedder, memory_app

As = Callable[[str], httpx.AsyncClient]


@pytest.fixture(scope="session")
def http_template(database_server: DatabaseServer) -> str:
    """Migrate one database, of which each test gets a copy."""
    name, embedder = "http_template", HashEmbedder()
    database_server.create(name)
    asyncio.run(migrate(database_server.url(name), dims=embedder.dims, embedder=embedder.name))
    return name


@pytest.fixture
def prepared_url(database_server: DatabaseServer, http_template: str) -> Iterator[str]:
    """Lend a migrated database."""
    with database_server.database(template=http_template) as url:
        yield url


@pytest.fixture
async def memory(prepared_url: str) -> AsyncIterator[MemoryApp]:
    """Open a memory; nothing works on its sessions unless the test does."""
    async with memory_app(prepared_url, settle_seconds=3600) as app:
        yield app


@pytest.fixture
def web(memory: MemoryApp) -> FastAPI:
    """Build the API on that memory."""

    async def opened() -> MemoryApp:
        return memory

    return build_app(memory=opened, authenticator=Tokens())


@pytest.fixture
async def as_person(web: FastAPI) -> AsyncIterator[As]:
    """Lend a client for each person by name."""
    clients: dict[str, httpx.AsyncClient] = {}

    def client(name: str) -> httpx.AsyncClient:
        if name not in clients:
            headers = {"Authorization": f"Bearer {name}"}
            transport = httpx.ASGITransport(web, raise_app_exceptions=False)
            clients[name] = httpx.AsyncClient(transport=transport, base_url="http://memory", headers=headers)
        return clients[name]

    yield client
    for opened in clients.values():
        await opened.aclose()


@pytest.fixture
def anna(as_person: As) -> httpx.AsyncClient:
    """Lend a client that is Anna."""
    return as_person("anna")


@pytest.fixture
def ben(as_person: As) -> httpx.AsyncClient:
    """Lend a client that is Ben, of the same tenant."""
    return as_person("ben")


@pytest.fixture
def service(as_person: As) -> httpx.AsyncClient:
    """Lend a client that is a service and names nobody."""
    return as_person("service")

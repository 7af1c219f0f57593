"""A migrated database for each test, and the store's parts on it."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from tests.database import DatabaseServer
from tests.integration.store.samples import DIMS, EMBEDDER
from twofold.store.backlog import Backlog
from twofold.store.inbox import Inbox
from twofold.store.kept import PostgresKept
from twofold.store.memories import PostgresMemories
from twofold.store.migrate import migrate
from twofold.store.pool import Pool, open_pool
from twofold.store.queue import Queue

TTL_DAYS = 30


class MovableClock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.time = datetime.now(UTC)  # noqa: TID251 - LangGraph dates rows by the server's clock

    def now(self) -> datetime:
        return self.time

    def pass_days(self, days: float) -> None:
        self.time += timedelta(days=days)


@dataclass(frozen=True)
class Store:
    """Everything of the store on one pool."""

    url: str
    pool: Pool
    clock: MovableClock
    memories: PostgresMemories
    inbox: Inbox
    backlog: Backlog
    kept: PostgresKept
    queue: Queue


@pytest.fixture(scope="session")
def template(database_server: DatabaseServer) -> str:
    """Migrate one database, of which each test gets a copy."""
    name = "store_template"
    database_server.create(name)
    asyncio.run(migrate(database_server.url(name), dims=DIMS, embedder=EMBEDDER))
    return name


@pytest.fixture
def url(database_server: DatabaseServer, template: str) -> Iterator[str]:
    """Lend a migrated database."""
    with database_server.database(template=template) as url:
        yield url


@pytest.fixture
async def pool(url: str) -> AsyncIterator[Pool]:
    """Open a pool on the migrated database."""
    pool = await open_pool(url)
    yield pool
    await pool.close()


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def store(url: str, pool: Pool, clock: MovableClock) -> Store:
    """Wire the store's parts as the app does."""
    queue = Queue()
    return Store(
        url=url,
        pool=pool,
        clock=clock,
        memories=PostgresMemories(pool, dims=DIMS, ttl_days=TTL_DAYS, clock=clock, queue=queue),
        inbox=Inbox(pool, queue, ttl_days=TTL_DAYS, clock=clock),
        backlog=Backlog(pool, queue),
        kept=PostgresKept(pool, clock=clock),
        queue=queue,
    )

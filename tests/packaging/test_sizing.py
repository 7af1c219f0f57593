"""What docs/how-to/size.md says follows from what was measured, and processes open no more connections than it says."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import psycopg
import pytest

from tests.packaging.project import ROOT
from tests.services import as_url
from twofold.adk import MemoryService
from twofold.memory.memories import FactChange, Memory
from twofold.memory.scope import Scope
from twofold.memory.steps import Turn
from twofold.memory.transcript import Entry, Transcript
from twofold.models.offline import OfflineNarrator
from twofold.models.open import Models
from twofold.testing import HashEmbedder, memory_app, memory_service

BENCHMARK = [sys.executable, str(ROOT / "benchmarks" / "sizing.py")]
POOL_SIZE = 4
AT = datetime(2026, 4, 1, 12, tzinfo=UTC)
_CONNECTIONS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
"""


def test_the_guides_tables_are_those_of_the_figures() -> None:
    done = subprocess.run([*BENCHMARK, "--check"], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.long
@pytest.mark.timeout(240)
def test_the_benchmark_runs() -> None:
    done = subprocess.run([*BENCHMARK, "--calls", "8"], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "1,000,000" in done.stdout


class SlowExtractor:
    """Takes no fact, in a while: a chat model that is waited for."""

    name = "testing:slow"

    async def extract(self, turns: Sequence[Turn], known: Sequence[Memory]) -> Sequence[FactChange]:
        await asyncio.sleep(0.3)
        return ()


def slow_models() -> Models:
    return Models(facts=SlowExtractor(), narrator=OfflineNarrator(), embedder=HashEmbedder())


def person(number: int) -> Scope:
    return Scope(tenant_id="acme", user_id=f"u{number}")


def session(number: int) -> Transcript:
    said = Entry(event_id="u1", kind="said", author="user", text=f"I close ledger {number}.", at=AT)
    answered = Entry(event_id="a1", kind="said", author="agent", text="Noted.", at=AT)
    return Transcript(session_id=f"s{number}", entries=(said, answered))


@asynccontextmanager
async def held(url: str, *tables: str) -> AsyncIterator[None]:
    """Have every statement on these tables wait, so that each keeps the connection it has."""
    async with await psycopg.AsyncConnection.connect(url) as connection:
        await connection.execute(f"LOCK TABLE {', '.join(tables)} IN ACCESS EXCLUSIVE MODE".encode())
        yield
        await connection.rollback()


async def most_connections(url: str, seconds: float) -> int:
    """Return the most connections seen for a while, less those of this test."""
    most = 0
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        for _ in range(int(seconds / 0.02)):
            row = await (await connection.execute(_CONNECTIONS)).fetchone()
            most = max(most, row[0] if row else 0)
            await asyncio.sleep(0.02)
    return most


async def searched(service: MemoryService, number: int) -> None:
    await service.search_memory(app_name="erp", user_id=f"u{number}", query="Which ledger?")


async def test_searches_open_as_many_connections_as_the_pool_size(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWOFOLD_POOL_SIZE", str(POOL_SIZE))
    monkeypatch.setenv("TWOFOLD_WORKER", "false")
    monkeypatch.setenv("TWOFOLD_RECALL_DEADLINE", "30")
    async with memory_service(as_url(database_url)) as service:
        await searched(service, 0)
        async with held(database_url, "public.store_vectors"):
            asking = [asyncio.create_task(searched(service, number)) for number in range(20)]
            assert await most_connections(database_url, 1.5) == POOL_SIZE + 1  # and the one that holds the table
        await asyncio.gather(*asking)


async def test_a_memory_with_its_worker_opens_at_most_twice_the_pool_and_five(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWOFOLD_POOL_SIZE", str(POOL_SIZE))
    models = slow_models()
    async with memory_service(as_url(database_url), models=models, wait=False) as service:
        await searched(service, 0)
        async with memory_app(database_url, models=models, pool_size=2) as app:
            await asyncio.gather(*(app.accept(person(n), session(n), at_once=True) for n in range(12)))
        asking = [asyncio.create_task(searched(service, number)) for number in range(40)]
        assert POOL_SIZE < await most_connections(database_url, 2.0) <= 2 * POOL_SIZE + 5
        await asyncio.gather(*asking)


@pytest.mark.parametrize("concurrency", [2, 8])
async def test_a_worker_opens_at_most_twice_its_concurrency_and_five(database_url: str, concurrency: int) -> None:
    pool = max(4, concurrency + 2)
    async with memory_app(database_url, models=slow_models(), pool_size=pool) as app:
        await asyncio.gather(*(app.accept(person(n), session(n), at_once=True) for n in range(4 * concurrency)))
        async with app.working(concurrency=concurrency):
            assert await most_connections(database_url, 1.5) <= 2 * concurrency + 5

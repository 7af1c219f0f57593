"""What accept and recall cost a turn, beside the raw limit on the same database in the same run.

`python benchmarks/journey.py`: a throw-away embedded server, the local embedder, no worker beside it. Raw limits: one
durable insert and commit for an accept; one embedding and the two searches by LangGraph's own store for a recall.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
from google.adk.events.event import Event
from google.adk.sessions.session import Session
from google.genai import types
from langgraph.store.postgres import AsyncPostgresStore

from twofold.adk import MemoryService
from twofold.memory.scope import Scope, namespace
from twofold.models.open import open_embedder
from twofold.store.embedded import start_embedded

ROUNDS = 100
FACTS = 200
ANNA = Scope(tenant_id="erp", user_id="anna")
QUERY = "Which ledger and period do I close, number {}?"


def session_of(name: str, turns: int) -> Session:
    """Return a session with so many turns of the user, each answered."""
    events = [
        Event(
            id=f"{name}-{number}",
            author="agent" if number % 2 else "user",
            timestamp=1_770_000_000.0 + number,
            content=types.Content(parts=[types.Part(text=f"I prefer report {number} of company {1000 + number}.")]),
        )
        for number in range(2 * turns)
    ]
    return Session(id=name, app_name="erp", user_id="anna", events=events)


async def timed(action: Callable[[int], Awaitable[object]]) -> tuple[float, float]:
    """Return the median and the 95th percentile of an action, in milliseconds."""
    took = []
    for number in range(ROUNDS):
        began = time.perf_counter()
        await action(number)
        took.append((time.perf_counter() - began) * 1000)
    return statistics.median(took), sorted(took)[int(ROUNDS * 0.95)]


def told(what: str, ours: tuple[float, float], raw: tuple[float, float], limit: str) -> None:
    """Print one comparison."""
    print(
        f"{what}: {ours[0]:.1f} ms (p95 {ours[1]:.1f}); {limit}: {raw[0]:.1f} ms (p95 {raw[1]:.1f});"
        f" ratio {ours[0] / raw[0]:.1f}"
    )


async def accepts(service: MemoryService, url: str) -> None:
    """Compare accepting a new session of two turns with one committed insert."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute("CREATE TABLE raw_limit (id int, body text)")

        async def insert(number: int) -> None:
            await connection.execute("INSERT INTO raw_limit VALUES (%s, %s)", (number, "x" * 1000))

        raw = await timed(insert)
    ours = await timed(lambda number: service.add_session_to_memory(session_of(f"s{number}", 2)))
    told("accept", ours, raw, "one committed insert")


async def recalls(service: MemoryService, url: str) -> None:
    """Compare a recall among so many facts with an embedding and LangGraph's two searches."""
    embedder = open_embedder("minilm")

    async def embed(texts: list[str]) -> list[list[float]]:
        return [list(vector) for vector in await embedder.embed(texts)]

    index = {"dims": embedder.dims, "embed": embed, "fields": ["text"]}
    async with AsyncPostgresStore.from_conn_string(url, index=index) as store:  # type: ignore[arg-type]

        async def stock(number: int) -> None:
            query = QUERY.format(number)
            await store.asearch(namespace(ANNA, "semantic"), query=query, limit=12, refresh_ttl=False)
            await store.asearch(namespace(ANNA, "episodic"), query=query, limit=8, refresh_ttl=False)

        raw = await timed(stock)
    ours = await timed(lambda number: service.search_memory(app_name="erp", user_id="anna", query=QUERY.format(number)))
    told(f"recall among {FACTS} facts", ours, raw, "embedding and LangGraph's own searches")


async def main() -> None:
    """Run both comparisons on one throw-away server."""
    with TemporaryDirectory(prefix="twofold-bench-") as folder:
        url = start_embedded(Path(folder) / "data")
        service = MemoryService(url)
        await service.add_session_to_memory(session_of("filler", FACTS))
        await service.flush(timeout=120)
        print(f"{ROUNDS} rounds, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {service.health.embedder}")
        await recalls(service, url)
        await accepts(service, url)
        await service.close()


if __name__ == "__main__":
    asyncio.run(main())

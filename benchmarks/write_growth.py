"""How saves go as people become more: so many users at once over two worker processes."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from measures import person
from usage import session
from write_parts import InstantEmbedder

from twofold.models.offline import OfflineFactExtractor, OfflineNarrator
from twofold.models.open import Models
from twofold.testing import memory_app

WORKERS = 2
LOOK_SECONDS = 0.02
WAIT_SECONDS = 600.0
_STORED = "SELECT tenant_id || '/' || user_id || '/' || session_id FROM twofold.inbox WHERE done_revision >= revision"


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """So many users at once: saves a second, and the seconds from accept to stored."""

    users: int
    a_second: float
    median: float
    p95: float


async def growth(url: str, model_url: str, users: int, each: int, *, first: int) -> Growth:
    """Have so many users hand over so many sessions each at once, and wait until all are stored."""
    models = Models(facts=OfflineFactExtractor(), narrator=OfflineNarrator(), embedder=InstantEmbedder())
    async with memory_app(url, models=models, pool_size=20) as app, _workers(url, model_url):
        handed: dict[str, float] = {}
        began = time.perf_counter()

        async def hand_over(number: int) -> None:
            scope, transcript = person(first + number % users), session(first + number % users, number // users)[-1]
            handed[f"{scope.tenant_id}/{scope.user_id}/{transcript.session_id}"] = time.perf_counter()
            await app.accept(scope, transcript, at_once=True)

        await asyncio.gather(*(hand_over(number) for number in range(users * each)))
        took = await _stored(url, handed)
        seconds = time.perf_counter() - began
    return Growth(
        users=users,
        a_second=users * each / seconds,
        median=took[len(took) // 2],
        p95=took[int(len(took) * 0.95)],
    )


async def _stored(url: str, handed: dict[str, float]) -> list[float]:
    """Wait until all of these are stored, and return how long each took."""
    took: dict[str, float] = {}
    async with (
        asyncio.timeout(WAIT_SECONDS),
        await psycopg.AsyncConnection.connect(url, autocommit=True) as connection,
    ):
        while len(took) < len(handed):
            await asyncio.sleep(LOOK_SECONDS)
            for (name,) in await (await connection.execute(_STORED)).fetchall():
                if name in handed and name not in took:
                    took[name] = time.perf_counter() - handed[name]
    return sorted(took.values())


@asynccontextmanager
async def _workers(url: str, model_url: str) -> AsyncIterator[None]:
    """Run worker processes while the context lasts, from when they are ready."""
    variables = {
        "TWOFOLD_DATABASE_URL": url,
        "OPENAI_BASE_URL": model_url,
        "OPENAI_API_KEY": "none",
        "TWOFOLD_CHAT_MODEL": "openai:gpt-4o-mini",
    }
    command = [sys.executable, str(Path(__file__).with_name("write_worker.py"))]
    processes = [
        await asyncio.create_subprocess_exec(
            *command,
            env=os.environ | variables,  # noqa: TID251 - a process of its own is set up so
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        for _ in range(WORKERS)
    ]
    try:
        for process in processes:
            if process.stdout is None or not await process.stdout.readline():
                raise RuntimeError("a worker did not start")
        yield
    finally:
        for process in processes:
            if process.stdin is not None:
                process.stdin.close()
            await process.wait()

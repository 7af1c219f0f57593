"""A host's own graphs have LangGraph's store on our database, with our embedder and time to live."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from tests.integration.store.samples import DIMS
from twofold.memory.errors import ModelFailed
from twofold.memory.memories import Vector
from twofold.store.host_store import host_store
from twofold.store.pool import Pool, borrowed
from twofold.testing import HashEmbedder

NOTES = ("host", "notes")


async def test_what_a_host_puts_is_found_by_its_meaning_and_stays_after_a_restart(url: str) -> None:
    embedder = HashEmbedder(DIMS)
    async with host_store(url, embedder, ttl_days=30) as store:
        await store.aput(NOTES, "a", {"any": "the books close on the fifth day"})
        await store.aput(NOTES, "b", {"any": "lunch is at noon"})
    async with host_store(url, embedder, ttl_days=30) as store:
        [nearest] = await store.asearch(NOTES, query="books close day", limit=1)
        assert (nearest.key, nearest.value) == ("a", {"any": "the books close on the fifth day"})


async def test_what_a_host_puts_lives_as_long_as_a_memory_and_reading_does_not_prolong_it(url: str, pool: Pool) -> None:
    async with host_store(url, HashEmbedder(DIMS), ttl_days=30) as store:
        await store.aput(NOTES, "a", {"text": "x"})
        before = await expiry_of(pool, "a")
        assert abs(before - datetime.now(UTC) - timedelta(days=30)) < timedelta(minutes=1)  # noqa: TID251 - its clock
        assert await store.aget(NOTES, "a") is not None
        assert await expiry_of(pool, "a") == before
        async with borrowed(pool) as connection:
            await connection.execute("UPDATE public.store SET expires_at = now() - interval '1 second'")
        assert await store.aget(NOTES, "a") is None
        assert await store.asearch(NOTES, query="x") == []


async def expiry_of(pool: Pool, key: str) -> datetime:
    async with borrowed(pool) as connection:
        row = await (await connection.execute("SELECT expires_at FROM public.store WHERE key = %s", (key,))).fetchone()
    assert row is not None
    return row["expires_at"]  # type: ignore[no-any-return]


async def test_a_vector_that_cannot_be_compared_is_refused(url: str) -> None:
    class Zero(HashEmbedder):
        async def embed(self, texts: object) -> list[Vector]:
            return [(0.0,) * DIMS]

    async with host_store(url, Zero(DIMS), ttl_days=None) as store:
        with pytest.raises(ModelFailed):
            await store.aput(NOTES, "a", {"text": "x"})
        assert await store.aget(NOTES, "a") is None


async def test_nothing_goes_on_after_it_was_closed(url: str) -> None:
    before = asyncio.all_tasks()
    async with host_store(url, HashEmbedder(DIMS), ttl_days=30) as store:
        await store.aput(NOTES, "a", {"text": "x"})
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before

"""Searching over HTTP."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import httpx
import pytest
from fastapi import FastAPI

from tests.http.callers import ANNA, Tokens
from tests.http.samples import add, problem, said, session, texts_of
from twofold.api.http_app import build_app
from twofold.app import MemoryApp
from twofold.memory.errors import ModelFailed
from twofold.memory.memories import Vector
from twofold.testing import HashEmbedder, memory_app, test_models


async def test_a_search_brings_what_the_read_graph_recalls(memory: MemoryApp, anna: httpx.AsyncClient) -> None:
    await add(anna, *(f"ledger US_PRIMARY note {number}" for number in range(8)))
    answer = (await anna.post("/memory/search", json={"query": "US_PRIMARY"})).json()
    recall = await memory.recall(ANNA, "US_PRIMARY")
    assert texts_of(answer["facts"]) == [fact.text for fact in recall.facts]
    assert len(answer["facts"]) == 6
    assert all(fact["exact"] and 0 < fact["score"] <= 1 for fact in answer["facts"])
    assert answer["episodes"] == []


async def test_a_blank_query_finds_nothing_and_a_long_one_is_searched_by_its_end(anna: httpx.AsyncClient) -> None:
    await add(anna, "ledger US_PRIMARY")
    assert (await anna.post("/memory/search", json={"query": " \x00\n"})).json() == {"facts": [], "episodes": []}
    long = "word " * 19_000 + " US_PRIMARY"
    assert texts_of((await anna.post("/memory/search", json={"query": long})).json()["facts"]) == ["ledger US_PRIMARY"]
    told = problem(await anna.post("/memory/search", json={"query": "x" * 100_001}), 422)
    assert (told["field"], told["limit"]) == ("query", "at most 100000 characters")


async def test_what_comes_from_the_session_in_progress_only_is_left_out(
    memory: MemoryApp, anna: httpx.AsyncClient
) -> None:
    body = session("a/b", said("e1", "I use US_PRIMARY"), said("e2", "ok", author="agent"))
    revision = (await anna.post("/memory/sessions", json=body)).json()["revision"]
    await memory.save_session(ANNA, "a/b", revision)
    for except_session, found in ((None, 1), ("a/b", 0), ("~YS9i", 0), ("other", 1)):
        question = {"query": "US_PRIMARY", "except_session": except_session}
        assert len((await anna.post("/memory/search", json=question)).json()["facts"]) == found


class _Slow(HashEmbedder):
    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        await asyncio.sleep(5)
        return await super().embed(texts)


class _Broken(HashEmbedder):
    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        raise ModelFailed("https://models.internal answered 500")


@pytest.mark.parametrize(("embedder", "status"), [(_Slow(), 504), (_Broken(), 502)])
async def test_a_search_that_takes_too_long_or_has_no_model_is_a_problem(
    prepared_url: str, embedder: HashEmbedder, status: int
) -> None:
    models = replace(test_models(), embedder=embedder)
    async with memory_app(prepared_url, models=models, recall_deadline=0.3) as app:

        async def opened() -> MemoryApp:
            return app

        web: FastAPI = build_app(memory=opened, authenticator=Tokens())
        transport = httpx.ASGITransport(web)
        headers = {"Authorization": "Bearer anna"}
        async with httpx.AsyncClient(transport=transport, base_url="http://memory", headers=headers) as client:
            told = problem(await client.post("/memory/search", json={"query": "x"}), status)
            assert "internal" not in told["detail"]

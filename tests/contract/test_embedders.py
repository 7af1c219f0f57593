"""What every embedder promises: the real ones, the cached ones and the public fake."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Sequence

import pytest

from twofold.memory.memories import Vector
from twofold.memory.ports import Embedder
from twofold.models.cache import CachedEmbedder
from twofold.models.embedders import OpenAIEmbedder
from twofold.models.minilm import MiniLMEmbedder
from twofold.testing import HashEmbedder, OpenAIDouble


@pytest.fixture(params=["hash", "minilm", "openai", "cached hash", "cached minilm", "cached openai"])
async def embedder(request: pytest.FixtureRequest) -> AsyncIterator[Embedder]:
    kind = request.param.removeprefix("cached ")
    with OpenAIDouble() as double:
        openai = OpenAIEmbedder("text-embedding-3-small", 1536, base_url=double.base_url)
        embedders: dict[str, Embedder] = {"hash": HashEmbedder(), "minilm": MiniLMEmbedder(), "openai": openai}
        plain = embedders[kind]
        yield plain if kind == request.param else CachedEmbedder(plain)
        await openai.aclose()


def cosine(a: Vector, b: Vector) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True)) / math.hypot(*a) / math.hypot(*b)


async def test_each_text_gets_one_finite_vector_of_the_stated_length(embedder: Embedder) -> None:
    texts = ["Close the books", "", "   ", "ä€漢😀", "\ud800 lone", "x" * 60_000, "company 1010"]
    vectors = await embedder.embed(texts)
    assert [len(vector) for vector in vectors] == [embedder.dims] * len(texts)
    assert all(0 < math.hypot(*vector) < math.inf for vector in vectors)


async def test_no_text_gets_no_vector(embedder: Embedder) -> None:
    assert list(await embedder.embed([])) == []


async def test_vectors_come_in_the_order_of_the_texts(embedder: Embedder) -> None:
    texts = [f"text number {number}" + " more words" * number for number in range(12)]
    together = await embedder.embed(texts)
    alone = [(await embedder.embed([text]))[0] for text in texts]
    assert all(cosine(a, b) == pytest.approx(1.0, abs=0.01) for a, b in zip(together, alone, strict=True))


async def test_equal_texts_get_equal_vectors_in_one_call_and_in_the_next(embedder: Embedder) -> None:
    first, second = await embedder.embed(["the same", "the same"])
    (third,) = await embedder.embed(["the same"])
    assert list(first) == list(second) == list(third)


async def test_a_text_is_nearer_to_one_about_the_same_than_to_another(embedder: Embedder) -> None:
    a, near, far = await embedder.embed(
        ["The user closes the ledger on Friday", "On Friday the user closes the ledger early", "Bananas are yellow"]
    )
    assert cosine(a, near) > cosine(a, far) + 0.2


async def test_many_callers_at_once_each_get_their_own_vectors(embedder: Embedder) -> None:
    texts = [f"caller {number}" for number in range(16)]
    results = await asyncio.gather(*(embedder.embed([text]) for text in texts))
    expected = [(await embedder.embed([text]))[0] for text in texts]
    assert [list(result[0]) for result in results] == [list(vector) for vector in expected]


def test_one_embedder_works_in_one_event_loop_after_another() -> None:
    with OpenAIDouble() as double:
        for embedder in (MiniLMEmbedder(), OpenAIEmbedder("text-embedding-3-small", 1536, base_url=double.base_url)):

            async def once(embedder: MiniLMEmbedder | OpenAIEmbedder = embedder) -> Sequence[Vector]:
                vectors = await embedder.embed(["ledger"])
                if isinstance(embedder, OpenAIEmbedder):
                    await embedder.aclose()
                return vectors

            assert list(asyncio.run(once())[0]) == list(asyncio.run(once())[0])


async def test_the_name_tells_the_provider_and_the_model(embedder: Embedder) -> None:
    provider, _, model = embedder.name.partition(":")
    assert provider in {"testing", "minilm", "openai"}
    assert model

"""What an embedding server may answer, and what is sent to it."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator

import openai
import pytest

from twofold.memory.errors import ModelFailed
from twofold.models.embedders import MOST_BYTES, OpenAIEmbedder
from twofold.testing import OpenAIDouble, Reply


@pytest.fixture
async def embedder(double: OpenAIDouble) -> AsyncIterator[OpenAIEmbedder]:
    embedder = OpenAIEmbedder("text-embedding-3-small", 3, base_url=double.base_url, timeout=0.5)
    yield embedder
    await embedder.aclose()


def vectors(*each: object) -> Reply:
    data = [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(each)]
    return Reply.json({"object": "list", "model": "m", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}})


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (vectors([1.0, 0.0, 0.0]), "1 vectors for 2 texts"),
        (vectors([1.0, 0.0, 0.0], [1.0, 0.0]), "a vector of 2 dimensions where 3 are expected"),
        (vectors([1.0, 0.0, 0.0], [0.0, 0.0, 0.0]), "a vector of zeros"),
        (vectors([1.0, 0.0, 0.0], [math.nan, 0.0, 0.0]), "not finite"),
        (vectors([1.0, 0.0, 0.0], [math.inf, 0.0, 0.0]), "not finite"),
        (vectors("no base64!", "no base64!"), "'openai:text-embedding-3-small' failed"),
        (vectors(), "'openai:text-embedding-3-small' failed"),
        (Reply.json({"data": None}), "'openai:text-embedding-3-small' failed"),
        (Reply.json({"error": {"message": "no such model"}}), "'openai:text-embedding-3-small' failed"),
        (Reply.json([]), "'openai:text-embedding-3-small' failed"),
        (Reply.json("x"), "'openai:text-embedding-3-small' failed"),
        (Reply.not_json(), "'openai:text-embedding-3-small' failed"),
        (Reply.error(400, "too long"), "HTTP 400"),
        (Reply.error(401), "HTTP 401"),
        (Reply.error(500), "HTTP 500"),
        (Reply.rate_limited(), "HTTP 429"),
    ],
)
async def test_vectors_that_cannot_be_used_are_a_failure_of_the_model(
    reply: Reply, problem: str, double: OpenAIDouble, embedder: OpenAIEmbedder
) -> None:
    double.always("embeddings", reply)
    with pytest.raises(ModelFailed, match=problem):
        await embedder.embed(["one", "two"])


async def test_an_outage_that_passes_is_not_noticed(double: OpenAIDouble, embedder: OpenAIEmbedder) -> None:
    double.script("embeddings", Reply.rate_limited(), Reply.error(503))
    assert len(await embedder.embed(["one"])) == 1
    assert len(double.requests) == 3


async def test_a_server_that_hangs_is_a_failure_in_time(double: OpenAIDouble) -> None:
    embedder = OpenAIEmbedder("text-embedding-3-small", 3, base_url=double.base_url, timeout=0.05)
    double.always("embeddings", Reply.hangs(5))
    with pytest.raises(ModelFailed) as failure:
        await embedder.embed(["one"])
    assert isinstance(failure.value.__cause__, openai.APITimeoutError)
    await embedder.aclose()


@pytest.mark.parametrize("character", ["a", "é", "漢", "😀"])
async def test_a_long_text_is_cut_to_what_the_model_surely_takes(
    character: str, double: OpenAIDouble, embedder: OpenAIEmbedder
) -> None:
    await embedder.embed([character * 20_000])
    (sent,) = double.requests[0].body["input"]
    assert MOST_BYTES - 4 < len(sent.encode()) <= MOST_BYTES
    assert set(sent) == {character}


async def test_the_texts_go_as_they_are_in_one_request_with_the_dimensions(
    double: OpenAIDouble, embedder: OpenAIEmbedder
) -> None:
    await embedder.embed(["one", "two"])
    (request,) = double.requests
    assert request.body == {
        "model": "text-embedding-3-small",
        "input": ["one", "two"],
        "dimensions": 3,
        "encoding_format": "base64",
    }


async def test_other_models_are_not_asked_for_dimensions_but_checked(double: OpenAIDouble) -> None:
    embedder = OpenAIEmbedder("bge-m3", 1024, base_url=double.base_url)
    with pytest.raises(ModelFailed, match="1536 dimensions where 1024 are expected"):
        await embedder.embed(["one"])
    assert "dimensions" not in double.requests[0].body
    await embedder.aclose()


@pytest.mark.parametrize("text", ["", "  \n", "\ud800"])
async def test_a_text_of_nothing_is_not_sent_as_nothing_which_openai_refuses(
    text: str, double: OpenAIDouble, embedder: OpenAIEmbedder
) -> None:
    await embedder.embed([text])
    (sent,) = double.requests[0].body["input"]
    assert sent.strip()

"""Models chosen by the setting strings."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.samples import FAILURE, said
from twofold.memory.errors import SettingsInvalid
from twofold.models.open import open_embedder, open_extractors, open_models
from twofold.testing import OpenAIDouble

KEY: dict[str, Any] = {"api_key": "x"}


@pytest.mark.parametrize(
    ("spec", "options", "name", "dims"),
    [
        ("minilm", {}, "minilm:all-MiniLM-L6-v2-int8-256", 384),
        ("minilm", {"dims": 384}, "minilm:all-MiniLM-L6-v2-int8-256", 384),
        ("openai:text-embedding-3-small", KEY, "openai:text-embedding-3-small", 1536),
        ("openai:text-embedding-3-large", KEY, "openai:text-embedding-3-large", 3072),
        ("openai:text-embedding-3-small", KEY | {"dims": 512}, "openai:text-embedding-3-small", 512),
        ("openai:bge-m3", {"base_url": "http://localhost:1/v1", "dims": 1024}, "openai:bge-m3", 1024),
    ],
)
def test_an_embedder_is_chosen_by_its_string(spec: str, options: dict[str, Any], name: str, dims: int) -> None:
    embedder = open_embedder(spec, **options)
    assert (embedder.name, embedder.dims) == (name, dims)


@pytest.mark.parametrize(
    ("spec", "options", "problem"),
    [
        ("fastembed", {}, "'fastembed'; it must be `openai:NAME` or `minilm`"),
        ("", {}, "''; it must be `openai:NAME` or `minilm`"),
        ("openai", KEY, "it must be `openai:NAME` or `minilm`"),
        ("openai: ", KEY, "it must be `openai:NAME` or `minilm`"),
        ("minilm:other", {}, "it must be `openai:NAME` or `minilm`"),
        ("minilm", {"dims": 1536}, "embedding_dims is 1536, but `minilm` has 384"),
        ("openai:bge-m3", KEY, "embedding_dims must say how many dimensions 'openai:bge-m3' has"),
        ("openai:text-embedding-3-small", {}, "needs an API key"),
    ],
)
def test_an_embedder_that_cannot_be_opened_is_refused_with_the_way_out(
    spec: str, options: dict[str, Any], problem: str
) -> None:
    with pytest.raises(SettingsInvalid) as refusal:
        open_embedder(spec, **options)
    assert problem in str(refusal.value)
    assert "embedding_" in str(refusal.value)


@pytest.mark.parametrize("spec", ["openai", "openai:", "anthropic:claude", "Offline", ""])
def test_an_unknown_chat_model_is_refused_with_the_allowed_forms(spec: str) -> None:
    with pytest.raises(SettingsInvalid, match="it must be `openai:NAME` or `offline`"):
        open_extractors(spec, api_key="x")


def test_a_chat_model_without_key_and_address_is_refused() -> None:
    with pytest.raises(SettingsInvalid, match="chat_model 'openai:gpt-5-mini' needs an API key"):
        open_extractors("openai:gpt-5-mini")


async def test_offline_models_say_what_they_are_and_have_nothing_to_close() -> None:
    models = open_models(chat="offline", embedding="minilm")
    assert (models.facts.name, models.narrator.name) == ("offline rules", "offline rules")
    assert models.closing == ()
    await models.aclose()


async def test_models_on_a_server_work_together_and_close_their_connections() -> None:
    with OpenAIDouble() as double:
        models = open_models(chat="openai:double", embedding="openai:e", base_url=double.base_url, dims=1536)
        changes = await models.facts.extract(said("I prefer PDF"), [])
        words = await models.narrator.tell(FAILURE)
        (vector,) = await models.embedder.embed([changes[0].text])
        assert (len(vector), words.overall[:7]) == (1536, "Failed:")
        forced = [request.body.get("tool_choice") for request in double.requests if request.tools]
        assert forced == ["required", "required"]
        await models.aclose()
        await models.aclose()


async def test_a_key_never_shows_in_what_is_opened() -> None:
    models = open_models(chat="openai:x", embedding="openai:text-embedding-3-small", api_key="very-secret")
    assert "very-secret" not in repr(models)

"""Which models the settings come to."""

from __future__ import annotations

import pytest

from tests.contract.samples import said
from twofold.chosen import chosen_models
from twofold.memory.errors import SettingsInvalid
from twofold.settings import load_settings

MINILM = ("minilm:all-MiniLM-L6-v2-int8-256", 384)
SMALL = ("openai:text-embedding-3-small", 1536)


KEY = {"openai_api_key": "k"}
SMALL_512 = ("openai:text-embedding-3-small", 512)


@pytest.mark.parametrize(
    ("given", "recorded", "extractor", "embedder"),
    [
        ({}, None, "offline rules", MINILM),
        (KEY, None, "openai:gpt-5-mini", SMALL),
        ({"openai_base_url": "http://127.0.0.1:1/v1"}, None, "openai:gpt-5-mini", SMALL),
        (KEY, MINILM, "openai:gpt-5-mini", MINILM),
        (KEY, SMALL_512, "openai:gpt-5-mini", SMALL_512),
        (KEY | {"embedding_model": "openai:text-embedding-3-small"}, MINILM, "openai:gpt-5-mini", SMALL),
        (KEY | {"chat_model": "offline"}, None, "offline rules", SMALL),
        (KEY | {"embedding_dims": 512}, None, "openai:gpt-5-mini", SMALL_512),
        ({}, MINILM, "offline rules", MINILM),
    ],
)
def test_models_follow_the_settings_then_the_database_then_the_key(
    given: dict[str, object], recorded: tuple[str, int] | None, extractor: str, embedder: tuple[str, int]
) -> None:
    models = chosen_models(load_settings(**given), recorded)
    assert models.facts.name == extractor
    assert (models.embedder.name, models.embedder.dims) == embedder


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"chat_model": "gpt-5"}, "chat_model is 'gpt-5'; it must be `openai:NAME` or `offline`"),
        ({"embedding_model": "bge"}, "embedding_model is 'bge'"),
        ({"chat_model": "openai:gpt-5-mini"}, "needs an API key"),
        ({"openai_api_key": "k", "embedding_model": "openai:text-embedding-3-large"}, "indexes at most 2000"),
        ({"openai_api_key": "k", "embedding_model": "openai:other"}, "embedding_dims must say"),
    ],
)
def test_a_model_that_cannot_be_used_is_refused_saying_what_can(given: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsInvalid, match=message):
        chosen_models(load_settings(**given), None)


def test_a_database_of_openai_vectors_without_a_key_says_what_is_missing() -> None:
    with pytest.raises(SettingsInvalid, match="needs an API key"):
        chosen_models(load_settings(), SMALL)


@pytest.mark.parametrize(("policy", "facts"), [({}, []), ({"pin": "keep"}, ["The user's PIN is 1234."])])
async def test_the_offline_rules_follow_the_redaction_policy(policy: dict[str, str], facts: list[str]) -> None:
    models = chosen_models(load_settings(redaction=policy), None)
    assert [change.text for change in await models.facts.extract(said("Remember that my PIN is 1234"), [])] == facts

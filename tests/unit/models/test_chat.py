"""Chat models by name: what is sent, and that each event loop has its own connections."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tests.contract.samples import said
from twofold.models.chat import close_chat, open_chat
from twofold.models.facts import LangMemFactExtractor
from twofold.testing import OpenAIDouble


@pytest.mark.parametrize(
    ("name", "temperature", "tokens"),
    [
        ("gpt-4o-mini", 0, 4_000),
        ("llama3.1:8b", 0, 4_000),
        ("gpt-5-chat-latest", 0, 4_000),
        ("gpt-5-mini", None, 16_000),
        ("gpt-5.1", None, 16_000),
        ("o4-mini", None, 16_000),
    ],
)
async def test_models_that_reason_get_no_temperature_and_room_to_reason(
    name: str, temperature: float | None, tokens: int
) -> None:
    with OpenAIDouble() as double:
        model = open_chat(name, base_url=double.base_url)
        await model.ainvoke("Hello")
        await close_chat(model)
        (request,) = double.requests
    assert request.body.get("temperature") == temperature
    assert request.body["max_completion_tokens"] == tokens
    assert request.body["model"] == name


async def test_the_key_is_sent_and_a_server_without_one_is_served_too() -> None:
    with OpenAIDouble() as double:
        for key in ("the-key", None):
            model = open_chat("double", base_url=double.base_url, api_key=key)
            await model.ainvoke("Hello")
            await close_chat(model)
        assert [each.headers["authorization"] for each in double.requests] == ["Bearer the-key", "Bearer none"]


async def test_the_environment_does_not_decide_where_conversations_go(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_PROXY"):
        monkeypatch.setenv(name, "http://elsewhere.invalid/v1")
    model = open_chat("gpt-5-mini", api_key="x")
    assert str(model.root_async_client.base_url) == "https://api.openai.com/v1/"
    await close_chat(model)


async def test_the_key_is_not_shown_with_the_model() -> None:
    model = open_chat("gpt-5-mini", api_key="very-secret")
    assert "very-secret" not in repr(model)
    await close_chat(model)


def test_one_extractor_serves_two_event_loops_at_the_same_time() -> None:
    with OpenAIDouble() as double:
        facts = LangMemFactExtractor("openai:double", lambda: open_chat("double", base_url=double.base_url))
        extracted: list[int] = []

        async def extract() -> None:
            extracted.extend([len(await facts.extract(said("I prefer PDF"), [])) for _ in range(3)])
            await facts.aclose()

        threads = [threading.Thread(target=lambda: asyncio.run(extract())) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert extracted == [1] * 6

"""Chat models by name: `openai:NAME`, on OpenAI or any server that speaks its wire format."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping

import openai
from langchain_openai import ChatOpenAI

from twofold.memory.jsontypes import Json

OPENAI_BASE_URL = "https://api.openai.com/v1"
RETRIES = 2

# These refuse a temperature and count their reasoning as output.
_REASONING = re.compile(r"(gpt-[5-9](?!.*chat)|o\d)", re.IGNORECASE)
_MOST_TOKENS = 4_000
_MOST_TOKENS_REASONING = 16_000


def open_chat(
    name: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    timeout: float = 60.0,
    request: Mapping[str, Json] | None = None,
) -> ChatOpenAI:
    """Return the chat model `name` with an HTTP client of its own, to be used in one event loop.

    `timeout` is in seconds and holds for each of at most three attempts: 429, 5xx, time-outs and lost
    connections are tried again, and a Retry-After is honoured. `request` is added to the body of each request.
    Close it with `await close_chat(model)`.
    """
    reasoning = _REASONING.match(name) is not None
    return ChatOpenAI(
        model=name,
        base_url=base_url or OPENAI_BASE_URL,  # given, so that no environment variable decides
        api_key=waiting_key(api_key),
        organization=None,
        openai_proxy=None,
        # langchain-openai shares one cached client per process, which breaks in the second event loop.
        http_async_client=openai.DefaultAsyncHttpxClient(timeout=timeout),
        timeout=timeout,
        max_retries=RETRIES,
        temperature=None if reasoning else 0,
        max_completion_tokens=_MOST_TOKENS_REASONING if reasoning else _MOST_TOKENS,
        model_kwargs=dict(request or {}),
    )


async def close_chat(model: ChatOpenAI) -> None:
    """Close the connections of a model from `open_chat`, in the loop that used it."""
    await model.root_async_client.close()


def waiting_key(api_key: str | None) -> Callable[[], Awaitable[str]]:
    """Return the key in the form for which langchain-openai opens no second, blocking client.

    Many local servers need no key, but the SDK insists on one.
    """

    async def key() -> str:
        return api_key or "none"

    return key

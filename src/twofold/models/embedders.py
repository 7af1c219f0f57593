"""Embedding models on OpenAI or any server that speaks its wire format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import openai
from langchain_openai import OpenAIEmbeddings

from twofold.memory.errors import ModelFailed
from twofold.memory.memories import Vector
from twofold.models.chat import OPENAI_BASE_URL, RETRIES, waiting_key
from twofold.models.guard import model_failed
from twofold.models.loops import PerLoop
from twofold.models.vectors import vector_problems

# The models take 8,191 tokens and refuse more with a 400. A token is at least one byte, so that this many
# bytes always fit; counting tokens would need a vocabulary that is downloaded.
MOST_BYTES = 8_000

# What langchain-openai was seen to raise over odd bodies: JSON errors, base64 errors, missing fields.
_BROKEN = (AttributeError, KeyError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class _Client:
    model: OpenAIEmbeddings
    http: openai.DefaultAsyncHttpxClient


class OpenAIEmbedder:
    """Embeds over HTTP; each event loop has a client of its own."""

    def __init__(
        self,
        model: str,
        dims: int,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 60.0,
    ) -> None:
        """Take the model's name and the length of its vectors; `timeout` is in seconds for each of 3 attempts."""
        self._model = model
        self._dims = dims
        self._base_url = base_url or OPENAI_BASE_URL
        self._api_key = api_key
        self._timeout = timeout
        self._clients = PerLoop(self._open)

    @property
    def name(self) -> str:
        """`openai:` and the model's name."""
        return f"openai:{self._model}"

    @property
    def dims(self) -> int:
        """The length of each vector."""
        return self._dims

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return one vector per text; of a text only its first 8,000 bytes of UTF-8 count.

        Raises ModelFailed when the model cannot be reached or the vectors cannot be used.
        """
        if not texts:
            return []
        asked = [_fitting(text) for text in texts]
        try:
            vectors = await self._clients.get().model.aembed_documents(asked)
            problems = vector_problems(vectors, count=len(asked), dims=self._dims)
        except (openai.OpenAIError, *_BROKEN) as error:
            raise model_failed(self.name, error) from error
        if problems:
            raise ModelFailed(f"{self.name!r} answered with {'; '.join(problems)}")
        return vectors

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        client = self._clients.pop()
        if client is not None:
            await client.http.aclose()

    def _open(self) -> _Client:
        http = openai.DefaultAsyncHttpxClient(timeout=self._timeout)
        model = OpenAIEmbeddings(
            model=self._model,
            # Other models refuse the parameter; theirs is checked in the reply.
            dimensions=self._dims if self._model.startswith("text-embedding-3") else None,
            base_url=self._base_url,
            api_key=waiting_key(self._api_key),
            openai_proxy=None,
            http_async_client=http,
            timeout=self._timeout,
            max_retries=RETRIES,
            check_embedding_ctx_length=False,
        )
        return _Client(model, http)


def _fitting(text: str) -> str:
    """Return the part that is embedded. OpenAI refuses an empty input, and a space tells it nothing either."""
    return text.encode("utf-8", "replace")[:MOST_BYTES].decode("utf-8", "ignore").strip() or "-"

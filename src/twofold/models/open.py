"""Which models a process uses, chosen by the setting strings."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial

from twofold.memory.errors import SettingsInvalid
from twofold.memory.ports import Embedder, FactExtractor, Narrator
from twofold.memory.redaction import DEFAULT, Redactor
from twofold.models.cache import CachedEmbedder
from twofold.models.offline import OfflineFactExtractor, OfflineNarrator

EMBEDDING_FORMS = "`openai:NAME` or `minilm`"
CHAT_FORMS = "`openai:NAME` or `offline`"

_OWN_DIMS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}

Closing = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extractors:
    """What turns a session into memories. `closing` closes the connections of the running event loop."""

    facts: FactExtractor
    narrator: Narrator
    closing: tuple[Closing, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """All models of one process."""

    embedder: Embedder
    facts: FactExtractor
    narrator: Narrator
    closing: tuple[Closing, ...] = field(default=())

    async def aclose(self) -> None:
        """Close the connections of the running event loop; each loop that used the models does so."""
        for close in self.closing:
            await close()


def open_models(
    *,
    chat: str,
    embedding: str,
    base_url: str | None = None,
    api_key: str | None = None,
    dims: int | None = None,
    timeout: float = 60.0,
    redactor: Redactor = DEFAULT,
) -> Models:
    """Return the models that the settings name; nothing is loaded or connected before its first use.

    `timeout` is in seconds, for each of at most three attempts. `redactor` tells the offline rules what is a secret.
    Raises SettingsInvalid.
    """
    extractors = open_extractors(chat, base_url=base_url, api_key=api_key, timeout=timeout, redactor=redactor)
    embedder, closing = _open_embedder(embedding, base_url, api_key, dims, timeout)
    return Models(
        embedder=embedder,
        facts=extractors.facts,
        narrator=extractors.narrator,
        closing=(*extractors.closing, *closing),
    )


def open_embedder(
    spec: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    dims: int | None = None,
    timeout: float = 60.0,
) -> Embedder:
    """Return the embedder that `spec` names, with its cache. Raises SettingsInvalid."""
    return _open_embedder(spec, base_url, api_key, dims, timeout)[0]


def open_extractors(
    spec: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    timeout: float = 60.0,
    redactor: Redactor = DEFAULT,
) -> Extractors:
    """Return the fact extractor and the narrator that `spec` names. Raises SettingsInvalid.

    `redactor` tells the offline rules what is a secret. LangMem is imported only where a chat model is named.
    """
    if spec == "offline":
        return Extractors(facts=OfflineFactExtractor(redactor), narrator=OfflineNarrator())
    name = _openai_name(spec, "chat_model", CHAT_FORMS, base_url, api_key)
    from twofold.models.chat import open_chat  # noqa: PLC0415 - langmem takes seconds, offline does not pay
    from twofold.models.episodes import LangMemNarrator  # noqa: PLC0415 - same
    from twofold.models.facts import LangMemFactExtractor  # noqa: PLC0415 - same
    from twofold.models.managers import FORCED_TOOL  # noqa: PLC0415 - same

    opened = partial(open_chat, name, base_url=base_url, api_key=api_key, timeout=timeout, request=FORCED_TOOL)
    facts, narrator = LangMemFactExtractor(spec, opened), LangMemNarrator(spec, opened)
    return Extractors(facts=facts, narrator=narrator, closing=(facts.aclose, narrator.aclose))


def _open_embedder(
    spec: str, base_url: str | None, api_key: str | None, dims: int | None, timeout: float
) -> tuple[Embedder, tuple[Closing, ...]]:
    if spec == "minilm":
        from twofold.models import minilm  # noqa: PLC0415 - onnxruntime is not needed with a key

        if dims not in {None, minilm.DIMS}:
            raise SettingsInvalid(f"embedding_dims is {dims}, but `minilm` has {minilm.DIMS} dimensions")
        return CachedEmbedder(minilm.MiniLMEmbedder()), ()
    name = _openai_name(spec, "embedding_model", EMBEDDING_FORMS, base_url, api_key)
    length = dims or _OWN_DIMS.get(name)
    if length is None:
        raise SettingsInvalid(f"embedding_dims must say how many dimensions {spec!r} has")
    from twofold.models.embedders import OpenAIEmbedder  # noqa: PLC0415 - openai is not needed without one

    embedder = OpenAIEmbedder(name, length, base_url=base_url, api_key=api_key, timeout=timeout)
    return CachedEmbedder(embedder), (embedder.aclose,)


def _openai_name(spec: str, setting: str, forms: str, base_url: str | None, api_key: str | None) -> str:
    provider, _, name = spec.partition(":")
    if provider != "openai" or not name.strip():
        raise SettingsInvalid(f"{setting} is {spec!r}; it must be {forms}")
    if not api_key and not base_url:
        raise SettingsInvalid(f"{setting} {spec!r} needs an API key, or the address of a server that needs none")
    return name.strip()

"""The models: which they are, whether they fit the database, and whether they answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

from twofold.chosen import chosen_models
from twofold.cli.checks.subject import Subject, ok, problem, unchecked
from twofold.memory.errors import ModelFailed
from twofold.memory.findings import Finding
from twofold.models.open import Models
from twofold.settings import Settings

_OFFLINE = "offline"
_OPENAI = "openai:"


async def check_models(subject: Subject) -> list[Finding]:
    """Look at the embedder and the chat model; what costs money is called only when asked to."""
    if subject.settings.openai_base_url and not _is_address(subject.settings.openai_base_url):
        remedy = "give it as https://HOST/v1, or unset it"
        return [problem("models", "TWOFOLD_OPENAI_BASE_URL (or OPENAI_BASE_URL) is no address of a server", remedy)]
    prepared = subject.examined.prepared if subject.examined else None
    recorded = (prepared.embedder, prepared.dims) if prepared else None
    models = await asyncio.to_thread(chosen_models, subject.settings, recorded)
    try:
        return [
            *_fitting(subject, models),
            *[finding async for finding in _embedder(subject, models)],
            *[finding async for finding in _chat(subject, models)],
        ]
    finally:
        await models.aclose()


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return has_host and parts.scheme in {"http", "https"} and not any(character.isspace() for character in url)


def _fitting(subject: Subject, models: Models) -> list[Finding]:
    prepared = subject.examined.prepared if subject.examined else None
    wanted = f"{models.embedder.name} with {models.embedder.dims} numbers"
    if prepared is None or subject.examined is None:
        return [ok("embedder", f"vectors will be made by {wanted}")]
    if (prepared.embedder, prepared.dims) == (models.embedder.name, models.embedder.dims):
        return [ok("embedder", f"vectors are made by {wanted}, as in the database")]
    recorded = f"{prepared.embedder} with {prepared.dims} numbers"
    if subject.examined.holds_vectors:
        remedy = "set TWOFOLD_EMBEDDING_MODEL and TWOFOLD_EMBEDDING_DIMS back, or use an empty database"
        return [problem("embedder", f"{wanted} is set, but the memories were embedded by {recorded}", remedy)]
    return [ok("embedder", f"{wanted} will replace {recorded} at the next start: nothing is stored yet")]


async def _embedder(subject: Subject, models: Models) -> AsyncIterator[Finding]:
    name = models.embedder.name
    if name.startswith(_OPENAI) and not subject.call_models:
        yield unchecked("embedder", f"{name} is set, not called: --call-models does, once")
        return
    began = time.monotonic()
    try:
        await models.embedder.embed(["twofold"])
    except ModelFailed as error:
        yield problem("embedder", _said(error, subject.settings), _reachable(subject.settings, name))
    else:
        yield ok("embedder", f"{name} answers, in {(time.monotonic() - began) * 1000:.0f} ms")


async def _chat(subject: Subject, models: Models) -> AsyncIterator[Finding]:
    settings, name = subject.settings, models.facts.name
    if not name.startswith(_OPENAI):
        if settings.openai_api_key and settings.chat_model == _OFFLINE:
            yield ok("chat model", "none, as set: facts are taken by rules, although there is an API key")
            return
        yield ok("chat model", f"none: facts are taken by rules ({name}), which miss what is said in other ways")
        return
    if not subject.call_models:
        yield unchecked("chat model", f"{name} is set, not called: --call-models does, once")
        return
    from twofold.models.reach import ask_once

    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else None
    began = time.monotonic()
    try:
        await ask_once(
            name.removeprefix(_OPENAI), base_url=settings.openai_base_url, api_key=key, timeout=settings.model_timeout
        )
    except ModelFailed as error:
        yield problem("chat model", _said(error, settings), _reachable(settings, name))
    else:
        yield ok("chat model", f"{name} answers, in {time.monotonic() - began:.1f} s")


def _said(error: ModelFailed, settings: Settings) -> str:
    """Return what went wrong; some servers quote the key they refuse."""
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else ""
    return str(error).replace(key, "…") if key else str(error)


def _reachable(settings: Settings, name: str) -> str:
    if not name.startswith(_OPENAI):
        return "install twofold again, with what it requires"
    return f"check the key, the model's name and the address {settings.openai_base_url or 'of OpenAI'}"

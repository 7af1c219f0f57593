"""Which models and which database the settings come to."""

from __future__ import annotations

from twofold.memory.errors import SettingsInvalid
from twofold.models.open import Models, open_models
from twofold.settings import Settings

DEFAULT_CHAT = "openai:gpt-5-mini"
DEFAULT_EMBEDDING = "openai:text-embedding-3-small"
MOST_DIMS = 2000


def chosen_models(settings: Settings, recorded: tuple[str, int] | None) -> Models:
    """Return the models the settings name; what they leave open follows the database, then the API key.

    `recorded` is the embedder the database was made with, None for a new one: a key set later changes the
    extractor only. Raises SettingsInvalid.
    """
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else None
    reachable = bool(key or settings.openai_base_url)
    models = open_models(
        chat=settings.chat_model or (DEFAULT_CHAT if reachable else "offline"),
        embedding=settings.embedding_model or _embedding(recorded, reachable=reachable),
        base_url=settings.openai_base_url,
        api_key=key,
        dims=settings.embedding_dims or _dims(settings, recorded),
        timeout=settings.model_timeout,
    )
    if models.embedder.dims > MOST_DIMS:
        raise SettingsInvalid(
            f"embedding_dims is {models.embedder.dims}, but pgvector indexes at most {MOST_DIMS}; set embedding_dims"
        )
    return models


def _embedding(recorded: tuple[str, int] | None, *, reachable: bool) -> str:
    if recorded is None:
        return DEFAULT_EMBEDDING if reachable else "minilm"
    return recorded[0] if recorded[0].startswith("openai:") else recorded[0].partition(":")[0]


def _dims(settings: Settings, recorded: tuple[str, int] | None) -> int | None:
    """Return the recorded length for the recorded model; another one has its own."""
    follows = recorded is not None and settings.embedding_model in {None, recorded[0]}
    return recorded[1] if follows and recorded is not None else None

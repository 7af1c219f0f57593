"""Which models and which database the settings come to."""

from __future__ import annotations

import asyncio
import logging

from twofold.memory.errors import SettingsInvalid, StoreUnavailable
from twofold.models.open import Models, open_models
from twofold.settings import Settings
from twofold.store.embedded import release_embedded, revive_embedded, start_embedded

logger = logging.getLogger(__name__)

DEFAULT_CHAT = "openai:gpt-5-mini"
DEFAULT_EMBEDDING = "openai:text-embedding-3-small"
MOST_DIMS = 2000
REVIVE_SECONDS = 2.0


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
        redactor=settings.redactor,
    )
    if models.embedder.dims > MOST_DIMS:
        raise SettingsInvalid(
            f"embedding_dims is {models.embedder.dims}, but pgvector indexes at most {MOST_DIMS}; set embedding_dims"
        )
    return models


def database_url(settings: Settings, *, make: bool = True) -> str:
    """Return the database's URL; starts the embedded server where none is set.

    Blocks, for some seconds the first time. Raises StoreUnavailable, also where the embedded database is not
    there yet and `make` is false.
    """
    if settings.database_url is not None:
        return settings.database_url.get_secret_value()
    folder = settings.data_folder / "postgres"
    if not has_database(settings):
        if not make:
            raise StoreUnavailable(
                f"There is no database yet: none is set, and none was made in {folder}. Set TWOFOLD_DATABASE_URL, or"
                " run `twofold migrate` to have the embedded one made."
            )
        logger.warning("First start: making the embedded PostgreSQL in %s, which takes some seconds", folder)
    return start_embedded(folder)


def release_database(settings: Settings) -> None:
    """Let go of the embedded server, if this process has started it: it stops unless another one uses it.

    Interpreter exit does that too, but a process that is ended by a signal does not come to it. Blocks.
    """
    if settings.database_url is None:
        release_embedded(settings.data_folder / "postgres")


async def reviving(settings: Settings) -> None:
    """Start the embedded server anew where it was killed, until cancelled; open connections then come back."""
    while settings.database_url is None:
        await asyncio.sleep(REVIVE_SECONDS)
        try:
            # On a thread: a start takes seconds.
            if await asyncio.to_thread(revive_embedded, settings.data_folder / "postgres"):
                logger.warning("The embedded PostgreSQL was gone and is started again")
        except StoreUnavailable as error:
            logger.warning("The embedded PostgreSQL is gone: %s", error)


def has_database(settings: Settings) -> bool:
    """Whether there is a database to look at: one is set, or the embedded one was made."""
    return settings.database_url is not None or (settings.data_folder / "postgres" / "PG_VERSION").exists()


def _embedding(recorded: tuple[str, int] | None, *, reachable: bool) -> str:
    if recorded is None:
        return DEFAULT_EMBEDDING if reachable else "minilm"
    return recorded[0] if recorded[0].startswith("openai:") else recorded[0].partition(":")[0]


def _dims(settings: Settings, recorded: tuple[str, int] | None) -> int | None:
    """Return the recorded length for the recorded model; another one has its own."""
    follows = recorded is not None and settings.embedding_model in {None, recorded[0]}
    return recorded[1] if follows and recorded is not None else None

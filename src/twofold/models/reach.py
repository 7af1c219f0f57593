"""Whether a chat model answers at all."""

from __future__ import annotations

import openai

from twofold.models.chat import close_chat, open_chat
from twofold.models.guard import model_failed

_QUESTION = "Answer with the one word: yes"


async def ask_once(name: str, *, base_url: str | None, api_key: str | None, timeout: float) -> None:
    """Ask a chat model something tiny. `timeout` is in seconds. Raises ModelFailed if it does not answer."""
    model = open_chat(name, base_url=base_url, api_key=api_key, timeout=timeout)
    try:
        await model.ainvoke(_QUESTION)
    except openai.OpenAIError as error:
        raise model_failed(name, error) from error
    finally:
        await close_chat(model)

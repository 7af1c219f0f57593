"""Keeps one LangMem run honest: one request, its raw reply recorded, no error swallowed.

trustcall catches every Exception of an update run and asks again, up to 25 times, and drops what it cannot
read. A BaseException passes through it, and the raw replies show what it dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from json import JSONDecodeError
from typing import Any
from uuid import UUID

import openai
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, LLMResult

from twofold.memory.errors import ModelFailed
from twofold.memory.redaction import redact_text

_LONGEST_REASON = 200
_MOST_TOLD = 8


class LLMAbort(BaseException):
    """Stops a LangMem run from inside. Never leaves `twofold.models`."""


class Guard(AsyncCallbackHandler):
    """Watches the model requests of one LangMem run.

    `replies` holds the raw messages in order. More than `budget` requests, or a failed one, stop the run
    with LLMAbort, whose cause is the model's error.
    """

    run_inline = True

    def __init__(self, *, budget: int) -> None:
        """Allow at most `budget` requests."""
        super().__init__()
        self.replies: list[AIMessage] = []
        self._left = budget

    async def on_chat_model_start(
        self, serialized: dict[str, Any], messages: list[list[BaseMessage]], *, run_id: UUID, **kwargs: Any
    ) -> None:
        """Count a request before it is sent."""
        if self._left == 0:
            raise LLMAbort("LangMem could not use the reply and asked again")
        self._left -= 1

    async def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """Record a reply as the model gave it."""
        for generation in (one for several in response.generations for one in several):
            if isinstance(generation, ChatGeneration) and isinstance(generation.message, AIMessage):
                self.replies.append(generation.message)

    async def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Stop the run at the first failed request; a cancellation goes its own way."""
        if isinstance(error, Exception):
            raise LLMAbort("the model request failed") from error


def is_outage(error: BaseException | None) -> bool:
    """Return whether the model, and not what it said, is the problem: no connection, refused, overloaded.

    A body that is no JSON is the page of some gateway.
    """
    return isinstance(error, openai.OpenAIError | JSONDecodeError)


def is_refused_input(error: BaseException | None) -> bool:
    """Return whether the model refused exactly this input, so that asking again later is of no use."""
    return isinstance(error, openai.BadRequestError | openai.UnprocessableEntityError)


def model_failed(model: str, error: BaseException) -> ModelFailed:
    """Return the error to raise `from error`: which model, where, which status, in at most 200 characters of reason."""
    where = f" at {_address(error)}" if isinstance(error, openai.APIConnectionError | openai.APIStatusError) else ""
    status = f" with HTTP {error.status_code}" if isinstance(error, openai.APIStatusError) else ""
    _quiet(error)
    reason = " ".join(redact_text(str(error)).split())[:_LONGEST_REASON]
    return ModelFailed(f"{model!r} failed{status} ({type(error).__name__}{where}): {reason}")


def _quiet(error: BaseException) -> None:
    """Take secrets out of what a model server said: at DEBUG a log tells an error with all that it came from."""
    if isinstance(error, openai.OpenAIError):
        error.args = tuple(redact_text(said) if isinstance(said, str) else said for said in error.args)


def _address(error: openai.APIConnectionError | openai.APIStatusError) -> str:
    """Return scheme, host and port only: user, path and query of an address may be secrets."""
    url = error.request.url
    return f"{url.scheme}://{url.netloc.decode('ascii', 'replace')}"


def unusable(model: str, problems: Sequence[str]) -> ModelFailed:
    """Return the error for a reply that must not be used."""
    return ModelFailed(f"The reply of {model!r} cannot be used: {told(problems)}")


def told(problems: Sequence[str]) -> str:
    """Return the problems as one text, of many only the first eight: it is sent, or kept as a cause."""
    more = [f"and {len(problems) - _MOST_TOLD} more"] if len(problems) > _MOST_TOLD else []
    return "; ".join((*problems[:_MOST_TOLD], *more))

"""LangMem's memory manager, asked once: raw replies beside what LangMem made of them.

Always `create_memory_manager`, which returns what it would change and stores nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langchain_openai import ChatOpenAI
from langmem import create_memory_manager
from pydantic import BaseModel, ValidationError

from twofold.memory.jsontypes import Json, JsonObject
from twofold.models.chat import close_chat
from twofold.models.guard import Guard, LLMAbort, is_outage, model_failed
from twofold.models.loops import PerLoop

# For the model's every request: LangMem leaves the choice to the model where nothing is known yet, and a model
# that answers in text is paid for nothing. (`parallel_tool_calls` is not sent: some models refuse it.)
FORCED_TOOL: dict[str, Json] = {"tool_choice": "required"}

# A good run takes 3 graph steps; a reply that LangMem wants healed is a fault here, never a second request.
_STEPS = 8
_ATTEMPTS = 1

# What LangMem 0.0.30 and trustcall 0.0.39 were seen to raise over odd replies. RuntimeError includes the
# recursion limit and "cannot schedule new futures", which their thread pool says while the process ends.
_BROKEN = (AttributeError, LookupError, RuntimeError, TypeError, ValueError)


# trustcall logs what it drops together with the text: a person's memory does not belong in a log.
_silent: ContextVar[bool] = ContextVar("twofold_silent", default=False)
logging.getLogger("extraction").addFilter(lambda _record: not _silent.get())


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One manager run: the raw replies, the documents by id, and why LangMem could not use the reply, if so.

    A document is the dict passed in where it is untouched, else a pydantic object.
    """

    replies: tuple[AIMessage, ...]
    documents: Mapping[str, object]
    fault: str = ""
    error: BaseException | None = None


class Managers:
    """One memory manager for each event loop."""

    def __init__(
        self,
        name: str,
        open_model: Callable[[], ChatOpenAI],
        *,
        schemas: Sequence[type[BaseModel]],
        instructions: str,
        changes_known: bool,
    ) -> None:
        """Take what the managers are made of; `changes_known` lets them update and delete."""
        self.name = name
        self._open_model = open_model
        self._schemas = schemas
        self._instructions = instructions
        self._changes_known = changes_known
        self._managers = PerLoop(self._make)

    async def ask(self, messages: Sequence[str], known: Mapping[str, JsonObject] | None = None) -> Answer:
        """Send one request about `messages` and the `known` documents by id. Raises ModelFailed on an outage."""
        guard = Guard(budget=1)
        config: RunnableConfig = {
            "callbacks": [guard],
            "recursion_limit": _STEPS,
            "configurable": {"max_attempts": _ATTEMPTS},
        }
        question = {
            "messages": [{"role": "user", "content": message} for message in messages],
            # Two-tuples would become the kind `__any__`, and every update of them would fail.
            "existing": [(key, self._schemas[0].__name__, dict(doc)) for key, doc in (known or {}).items()],
        }
        try:
            with _silence():
                memories = await self._managers.get().ainvoke(question, config)
        except LLMAbort as abort:
            if is_outage(abort.__cause__):
                raise model_failed(self.name, abort.__cause__ or abort) from abort.__cause__
            return _broken(guard, abort.__cause__ or abort)
        except _BROKEN as error:
            return _broken(guard, error)
        return Answer(replies=tuple(guard.replies), documents={memory.id: memory.content for memory in memories})

    async def aclose(self) -> None:
        """Close the connections of the running loop."""
        manager = self._managers.pop()
        if manager is not None:
            await close_chat(manager.model)

    def _make(self) -> Any:  # langmem ships no types
        return create_memory_manager(
            self._open_model(),
            schemas=list(self._schemas),
            instructions=self._instructions,
            enable_inserts=True,
            enable_updates=self._changes_known,
            enable_deletes=self._changes_known,
        )


@contextmanager
def _silence() -> Iterator[None]:
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)


def _broken(guard: Guard, error: BaseException) -> Answer:
    fault = f"LangMem could not use it: {' '.join(f'{type(error).__name__}: {_told(error)}'.split())[:200]}"
    return Answer(replies=tuple(guard.replies), documents={}, fault=fault, error=error)


def _told(error: BaseException) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    # Its own words quote what does not fit, and the cause of a failure is kept and logged.
    return "; ".join(
        each["msg"] for each in error.errors(include_url=False, include_input=False, include_context=False)
    )

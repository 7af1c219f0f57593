"""The plugin that saves each session after its last message and tells recall which turn is running."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import Any
from weakref import WeakSet

from google.adk.agents.invocation_context import InvocationContext
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from twofold.adk.call_clock import CallClock
from twofold.adk.cancelled_runs import CancelledRuns
from twofold.adk.server_exit import server_is_ending
from twofold.adk.service import MemoryService
from twofold.adk.turn import CurrentTurn, current_turn
from twofold.health import reason_of
from twofold.in_process import end_memories
from twofold.memory.errors import NotAccepted, TwofoldError

logger = logging.getLogger(__name__)

# ADK gives plugins five seconds to close.
CLOSE_SECONDS = 4.0
# What an answered turn waits for a database that does not answer.
ACCEPT_SECONDS = 3.0


class MemoryPlugin(BasePlugin):
    """Saves the session at the end of every run, failed and cancelled ones too; no hook raises into the turn.

    It works with the `MemoryService` of the runner it is given to, and leaves runs with another memory
    service alone: an AgentTool runs its agent with one of its own, whose events are not the user's words.
    """

    def __init__(self, name: str = "twofold", *, save: bool = True) -> None:
        """Take a name, as `--extra_plugins` gives one, and whether to save at the end of each run."""
        super().__init__(name=name)
        self._save = save
        self._services: WeakSet[MemoryService] = WeakSet()
        self._clock = CallClock()
        self._cancelled = CancelledRuns()

    async def before_run_callback(self, *, invocation_context: InvocationContext) -> types.Content | None:
        """Remember which turn runs, for the searches made in it."""
        try:
            if _service_of(invocation_context):
                current_turn.set(_turn_of(invocation_context))
                self._cancelled.watch(invocation_context.invocation_id, partial(self._accept, invocation_context))
        except Exception:
            logger.exception("The running turn could not be told to memory; searches use the message alone")
        return None

    async def after_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Save the session of a run that ended."""
        await self._accept(invocation_context)

    async def on_run_error_callback(self, *, invocation_context: InvocationContext, error: Exception) -> None:
        """Save the session of a run that failed: ADK does not call `after_run_callback` for it."""
        del error
        await self._accept(invocation_context)

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Start the clock of a tool call: an event of parallel calls bears the time of the first to finish."""
        del tool, tool_args
        self._clock.start(tool_context.invocation_id, tool_context.function_call_id)
        return None

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Stop the clock of a tool call."""
        del tool, tool_args, result
        self._clock.stop(tool_context.invocation_id, tool_context.function_call_id)
        return None

    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, error: Exception
    ) -> dict[str, Any] | None:
        """Stop the clock of a tool call that raised."""
        del tool, tool_args, error
        self._clock.stop(tool_context.invocation_id, tool_context.function_call_id)
        return None

    async def close(self) -> None:
        """Wait up to four seconds for the saves that are under way; the rest is done at the next start.

        Where a web server ends the process, which then does not come to interpreter exit, memory is closed too.
        """
        if server_is_ending():
            await _closed()
            return
        for service in list(self._services):
            try:
                await service.flush(timeout=CLOSE_SECONDS)
            except TwofoldError as error:
                _warn("Saves could not be finished while closing (%s); they are done at the next start", error=error)
            except Exception:
                logger.exception("Saves could not be finished while closing; they are done at the next start")

    async def _accept(self, context: InvocationContext) -> None:
        try:
            self._cancelled.unwatch(context.invocation_id)
            seconds = self._clock.take(context.invocation_id)
            service = _service_of(context)
            if service is None:
                return
            # The caller's context outlives the turn: what it searches next is not asked in this session.
            current_turn.set(None)
            if not self._save:
                return
            self._services.add(service)
            # Fetched anew: the session at hand may be truncated by `RunConfig.get_session_config`.
            session = await context.session_service.get_session(
                app_name=context.app_name, user_id=context.user_id, session_id=context.session.id
            )
            await service.accept(session or context.session, seconds=seconds, within=ACCEPT_SECONDS)
        except TwofoldError as error:
            message = "Session %s was not accepted by memory (%s); the next run hands it over again"
            _warn(message, context.session.id, error=error)
        except Exception:
            logger.exception(
                "Session %s was not accepted by memory; the next run hands it over again", context.session.id
            )


def _warn(message: str, *said: object, error: TwofoldError) -> None:
    """Log what was to be expected of a memory that is down in one line; where it came from at DEBUG only."""
    cause = error.__cause__ if isinstance(error, NotAccepted) else None  # its own words are for callers by hand
    logger.warning(message, *said, reason_of(cause or error), exc_info=logger.isEnabledFor(logging.DEBUG))


async def _closed() -> None:
    # On a thread, for which the server's loop waits before it ends, also beyond the time ADK gives.
    closing = asyncio.create_task(asyncio.to_thread(end_memories), name="twofold-close")
    await asyncio.wait({closing}, timeout=CLOSE_SECONDS)


def _service_of(context: InvocationContext) -> MemoryService | None:
    service = context.memory_service
    return service if isinstance(service, MemoryService) else None


def _turn_of(context: InvocationContext) -> CurrentTurn:
    said = [_text(event.content) for event in context.session.events if event.author == "user"]
    return CurrentTurn(
        invocation_id=context.invocation_id,
        session_id=context.session.id,
        user_text=_text(context.user_content),
        recent=tuple(text for text in said if text),
    )


def _text(content: types.Content | None) -> str:
    """Return the text of a message, joined as PreloadMemoryTool joins it."""
    parts = (content.parts or []) if content else []
    return " ".join(part.text for part in parts if part.text and not part.thought)

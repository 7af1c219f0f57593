"""The compiled memory graphs in an agent's own tools, without the memory service.

Run `python examples/graph_in_a_tool.py`: no key, no database to set up. The agent decides when to remember
and when to look something up; with the service (with_service.py) both happen by themselves.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.runners import Runner
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from twofold.adk.transcript import transcript_of
from twofold.app import MemoryApp
from twofold.demo.month_end import check_subledgers, close_period, run_depreciation
from twofold.demo.scripted_model import CLOSING, ScriptedModel
from twofold.nodes.plain import ENTRIES, ScopeState, plain
from twofold.settings import load_settings

Tool = Callable[..., Awaitable[dict[str, Any]]]
SCRIPTS = {"?": ("look_up",), "remember": ("remember",), **CLOSING}


def memory_tools(app: MemoryApp) -> list[Tool]:
    """Return two tools that invoke the graphs `memory_read` and `memory_write` of an open app."""

    async def look_up(query: str, tool_context: ToolContext) -> dict[str, Any]:
        """Look something up in what the user said and what was done for them earlier."""
        session = tool_context.session
        found = await app.read.ainvoke({"scope": scope_of(tool_context), "query": query, "except_session": session.id})
        return {kind: [memory["text"] for memory in memories] for kind, memories in found["recall"].items()}

    async def remember(tool_context: ToolContext) -> dict[str, Any]:
        """Remember this conversation: what the user said, and what was done."""
        transcript = transcript_of(tool_context.session)
        # Memory does not remember its own tools.
        entries = [entry for entry in transcript.entries if entry.tool not in {"look_up", "remember"}]
        written = await app.write.ainvoke(
            {
                "scope": scope_of(tool_context),
                "session_id": transcript.session_id,
                "entries": plain(ENTRIES, tuple(entries)),
            }
        )
        return {"saved": len(written.get("saved", [])), "skipped": written.get("skipped", "")}

    return [look_up, remember]


def scope_of(tool_context: ToolContext) -> ScopeState:
    """Return whose memory it is: this user's, in this app."""
    return {"tenant_id": tool_context.session.app_name, "user_id": tool_context.user_id}


def agent_with(app: MemoryApp, model: BaseLlm | str) -> LlmAgent:
    """Return a month-end agent with the two tools."""
    erp = [check_subledgers, run_depreciation, close_period]
    return LlmAgent(name="month_end", model=model, tools=[*erp, *memory_tools(app)])


async def main() -> None:
    """Close the books in one session, and ask about it in another."""
    async with MemoryApp.open(load_settings()) as app:
        runner = Runner(
            app_name="graph_in_a_tool",
            agent=agent_with(app, ScriptedModel(scripts=SCRIPTS)),
            session_service=InMemorySessionService(),
            auto_create_session=True,
        )
        await say(runner, "monday", "I work with the US Primary Ledger and the corporate asset book.")
        await say(runner, "monday", "Please close the books for March 2026.")
        await say(runner, "monday", "Please remember this conversation.")
        await say(runner, "tuesday", "Why did the close fail?")


async def say(runner: Runner, session_id: str, text: str) -> None:
    """Say something to the agent and print its calls and its answer."""
    message = types.Content(role="user", parts=[types.Part(text=text)])
    async for event in runner.run_async(user_id="anna", session_id=session_id, new_message=message):
        for call in event.get_function_calls():
            print(f"{session_id}: calls {call.name}")
        if event.is_final_response() and event.content and event.content.parts:
            print(f"{session_id}: {event.content.parts[0].text}")


if __name__ == "__main__":
    asyncio.run(main())

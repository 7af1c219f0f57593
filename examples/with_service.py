"""The smallest agent with memory: twofold's service and plugin, ADK's own preload tool.

Run `python examples/with_service.py`: no key, no database to set up. `ScriptedModel` stands in for a real
model, which you name instead: `model="gemini-…"`.
"""

from __future__ import annotations

import asyncio

from google.adk.agents import LlmAgent
from google.adk.apps.app import App
from google.adk.runners import Runner
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.tools.preload_memory_tool import PreloadMemoryTool
from google.genai import types

from twofold.adk import MemoryPlugin, MemoryService
from twofold.demo.scripted_model import ScriptedModel

memory = MemoryService()
agent = LlmAgent(name="clerk", model=ScriptedModel(), tools=[PreloadMemoryTool()])
runner = Runner(
    app=App(name="with_service", root_agent=agent, plugins=[MemoryPlugin()]),
    session_service=InMemorySessionService(),
    memory_service=memory,
    auto_create_session=True,
)


async def say(session_id: str, text: str) -> None:
    """Say something to the agent and print its answer."""
    message = types.Content(role="user", parts=[types.Part(text=text)])
    async for event in runner.run_async(user_id="anna", session_id=session_id, new_message=message):
        if event.is_final_response() and event.content and event.content.parts:
            print(f"{session_id}: {event.content.parts[0].text}")


async def main() -> None:
    """Tell the agent something, and ask for it in another session."""
    await say("monday", "I work with the US Primary Ledger and prefer reports as a table.")
    await memory.flush()  # only a script is this fast: memories follow their session within seconds
    await say("tuesday", "Which ledger do I work with?")
    await memory.close()


if __name__ == "__main__":
    asyncio.run(main())

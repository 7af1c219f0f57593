"""A month-end agent with memory, for `adk web`, `adk api_server` and `adk run`.

Without `MONTH_END_MODEL` it is played by a script, which needs no key; with it, say `gemini-2.5-flash`, by a model.
"""

from __future__ import annotations

import os

from google.adk.agents import LlmAgent
from google.adk.apps.app import App
from google.adk.tools.preload_memory_tool import PreloadMemoryTool

from twofold.adk import MemoryPlugin
from twofold.demo.month_end import INSTRUCTION, check_subledgers, close_period, run_depreciation
from twofold.demo.scripted_model import ScriptedModel

root_agent = LlmAgent(
    name="month_end",
    model=os.environ.get("MONTH_END_MODEL") or ScriptedModel(),
    instruction=INSTRUCTION,
    tools=[PreloadMemoryTool(), check_subledgers, run_depreciation, close_period],
)

# `adk run` has no option for plugins, so the app brings it. The name is the folder's: `adk web` goes by the folder
# and `adk run` by this name, and with two names there would be two memories.
app = App(name="month_end", root_agent=root_agent, plugins=[MemoryPlugin()])

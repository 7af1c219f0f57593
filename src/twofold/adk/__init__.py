"""The ADK edge: memory service, plugin, and the way from a session to a transcript. The only `google.*`."""

from twofold.adk.plugin import MemoryPlugin
from twofold.adk.service import MemoryService
from twofold.memory.scope import Scope

__all__ = ["MemoryPlugin", "MemoryService", "Scope"]

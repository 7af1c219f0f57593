"""What a user says in the contract's tests, and what is found of it."""

from __future__ import annotations

from google.adk.memory.memory_entry import MemoryEntry

from tests.acceptance.host import APP, text_of
from twofold.adk import MemoryService

FACT = "My ledger is US Primary."
COMPANY = "My company is 1000."
TURNS = (("user", FACT), ("clerk", "Noted."))
MORE = (("user", COMPANY), ("clerk", "Noted."))


async def search(
    service: MemoryService, query: str = "Which ledger?", *, user_id: str = "anna", app_name: str = APP
) -> list[MemoryEntry]:
    """Return what is recalled."""
    return (await service.search_memory(app_name=app_name, user_id=user_id, query=query)).memories


async def texts(service: MemoryService, query: str = "Which ledger?", *, user_id: str = "anna") -> list[str]:
    """Return the words of what is recalled."""
    return [text_of(entry.content) for entry in await search(service, query, user_id=user_id)]

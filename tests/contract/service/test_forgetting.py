"""What is deleted is gone, and handing the same over again does not bring it back."""

from __future__ import annotations

import pytest
from google.adk.memory.memory_entry import MemoryEntry
from google.genai import types

from tests.acceptance.host import APP, session_of, stored
from tests.contract.service.conversation import COMPANY, FACT, MORE, TURNS, search
from tests.database import tables_with
from twofold.adk import MemoryService
from twofold.memory.errors import InvalidInput


async def test_a_deleted_memory_stays_away_when_its_session_is_handed_over_again(
    service: MemoryService, database_url: str
) -> None:
    """The session grows meanwhile: only what is new comes."""
    await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
    await service.flush()
    (entry,) = await search(service)
    await service.delete_memory(app_name=APP, user_id="anna", memory_id=entry.id)
    assert await search(service) == []
    await service.add_session_to_memory(session_of(*TURNS, *MORE, session_id="s"))
    await service.flush()
    assert stored(database_url) == [COMPANY]


@pytest.mark.parametrize("memory_id", [None, "", "unknown", "a/b", "health", "~", "~!", "ä", "../sessions/s"])
async def test_deleting_what_is_not_there_changes_nothing(
    service: MemoryService, database_url: str, memory_id: str | None
) -> None:
    await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
    await service.flush()
    await service.delete_memory(app_name=APP, user_id="anna", memory_id=memory_id)
    await service.delete_session(app_name=APP, user_id="anna", session_id=memory_id or "other")
    assert stored(database_url) == [FACT]


async def test_a_session_without_an_id_is_none_and_what_a_host_added_stays(
    service: MemoryService, database_url: str
) -> None:
    entry = MemoryEntry(content=types.Content(parts=[types.Part(text=FACT)]))
    await service.add_memory(app_name=APP, user_id="anna", memories=[entry])
    with pytest.raises(InvalidInput, match="session_id: is empty"):
        await service.delete_session(app_name=APP, user_id="anna", session_id="")
    assert stored(database_url) == [FACT]


@pytest.mark.parametrize("session_id", ["s", "a/b", "health", "~YQ", "🙂", "s" * 2_000])
async def test_a_deleted_session_stays_away_when_it_is_handed_over_again(
    service: MemoryService, database_url: str, session_id: str
) -> None:
    """Another session of the user is untouched."""
    old = session_of(*TURNS, session_id=session_id)
    for session in (old, session_of(*MORE, session_id="other")):
        await service.add_session_to_memory(session)
    assert await service.flush() == 0
    assert stored(database_url) == [COMPANY, FACT]
    await service.delete_session(app_name=APP, user_id="anna", session_id=session_id)
    assert stored(database_url) == [COMPANY]
    await service.add_session_to_memory(old)
    assert await service.flush() == 0
    assert stored(database_url) == [COMPANY]


async def test_a_deleted_user_stays_away_and_may_say_it_anew(service: MemoryService, database_url: str) -> None:
    """What was said before the deletion brings nothing back; what is said after it does."""
    old = session_of(*TURNS, session_id="s")
    await service.add_session_to_memory(old)
    await service.flush()
    await service.delete_user(app_name=APP, user_id="anna")
    assert stored(database_url) == []
    await service.add_session_to_memory(old)
    await service.flush()
    assert stored(database_url) == []
    await service.add_session_to_memory(session_of(*TURNS, session_id="new"))
    await service.flush()
    assert stored(database_url) == [FACT]


async def test_a_deleted_users_words_are_in_no_table(service: MemoryService, database_url: str) -> None:
    """Rows, vectors, audit, inbox, kept extractions and jobs: the word is gone from the whole database."""
    turns = (("user", "My codeword is Xylophon77."), ("clerk", "Noted Xylophon77."))
    await service.add_session_to_memory(session_of(*turns, session_id="s"))
    await service.flush()
    assert tables_with(database_url, "Xylophon77")
    await service.delete_user(app_name=APP, user_id="anna")
    assert tables_with(database_url, "Xylophon77") == set()

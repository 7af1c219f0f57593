"""The rest of ADK's contract: memories and events handed over, forgetting, and a memory that is down."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Never

import pytest
from google.adk.memory.memory_entry import MemoryEntry

from tests.acceptance.host import APP, said, session_of, stored
from tests.database import tables_with
from twofold.adk import MemoryService
from twofold.memory.errors import ModelFailed
from twofold.models.open import Models
from twofold.store import attempts

FACT = "My ledger is US Primary."
TURNS = (("user", FACT), ("clerk", "Noted."))


async def search(service: MemoryService, query: str = "Which ledger?") -> list[MemoryEntry]:
    """Return what is recalled for Anna."""
    return (await service.search_memory(app_name=APP, user_id="anna", query=query)).memories


async def test_add_memory_stores_the_words_as_they_are_without_secrets(
    service: MemoryService, database_url: str
) -> None:
    """No extractor words them anew; a key in them is not kept."""
    entries = [
        MemoryEntry(content=said("Closes on the 3rd working day.")),
        MemoryEntry(content=said("The portal key is sk-proj-Ab12Cd34Ef56Gh78Ij90Kl12Mn34 for now.")),
    ]
    await service.add_memory(app_name=APP, user_id="anna", memories=entries)
    texts = stored(database_url)
    assert texts[0] == "Closes on the 3rd working day."
    assert texts[1].startswith("The portal key is ")
    assert "Ab12Cd34" not in texts[1]
    found = await search(service, "When does it close?")
    assert "Closes on the 3rd working day." in [(entry.content.parts or [])[0].text for entry in found]
    assert {source["origin"] for entry in found for source in entry.custom_metadata["source"]} == {"host"}


async def test_add_events_merges_by_event_id_and_counts_the_whole_session(database_url: str, models: Models) -> None:
    """One message is too little, the same one again too; with a second one both count."""
    service = MemoryService(database_url, models=models, min_messages=2)
    session = session_of(*TURNS, session_id="s")
    for events in (session.events[:1], session.events[:1]):
        await service.add_events_to_memory(app_name=APP, user_id="anna", events=events, session_id="s")
        await service.flush()
        assert stored(database_url) == []
    await service.add_events_to_memory(app_name=APP, user_id="anna", events=session.events[1:], session_id="s")
    await service.flush()
    assert stored(database_url) == [FACT]
    await service.close()


async def test_a_deleted_memory_stays_away_when_its_session_is_handed_over_again(
    service: MemoryService, database_url: str
) -> None:
    """The session grows meanwhile: only what is new comes."""
    await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
    await service.flush()
    (entry,) = await search(service)
    await service.delete_memory(app_name=APP, user_id="anna", memory_id=entry.id)
    assert await search(service) == []
    grown = session_of(*TURNS, ("user", "My company is 1000."), ("clerk", "Noted."), session_id="s")
    await service.add_session_to_memory(grown)
    await service.flush()
    assert stored(database_url) == ["My company is 1000."]


async def test_a_deleted_session_stays_away_when_it_is_handed_over_again(
    service: MemoryService, database_url: str
) -> None:
    """Another session of the user is untouched."""
    other = session_of(("user", "My company is 1000."), ("clerk", "Noted."), session_id="other")
    old = session_of(*TURNS, session_id="s")
    for session in (old, other):
        await service.add_session_to_memory(session)
    await service.flush()
    await service.delete_session(app_name=APP, user_id="anna", session_id="s")
    assert stored(database_url) == ["My company is 1000."]
    await service.add_session_to_memory(old)
    await service.flush()
    assert stored(database_url) == ["My company is 1000."]


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


@pytest.mark.parametrize("query", ["", " ", "\n\t ", "\u2003"])
async def test_a_blank_query_recalls_nothing(service: MemoryService, query: str) -> None:
    """Nothing is looked for, nothing failed."""
    await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
    await service.flush()
    assert await search(service, query) == []
    assert service.health.searches_failed == 0


async def test_an_empty_session_is_no_error(service: MemoryService, database_url: str) -> None:
    """Nothing to remember."""
    await service.add_session_to_memory(session_of(session_id="s"))
    assert await service.flush() == 0
    assert stored(database_url) == []


async def test_closing_twice_does_no_harm_and_the_service_opens_again(
    service: MemoryService, database_url: str
) -> None:
    """A closed service is as good as new."""
    await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
    await service.close()
    await service.close()
    assert stored(database_url) == [FACT]
    assert len(await search(service)) == 1


async def test_a_search_never_raises_whatever_goes_wrong(database_url: str, models: Models) -> None:
    """Neither a resolver with a bug nor a query that is none reaches the agent; `health` tells."""

    def broken(app_name: str, user_id: str) -> Never:
        raise KeyError(user_id)

    service = MemoryService(database_url, models=models, scope=broken)
    assert await search(service) == []
    assert await search(service, None) == []  # type: ignore[arg-type]
    assert service.health.searches_failed == 2
    await service.close()


async def test_what_was_given_up_is_visible_and_can_be_tried_again(
    database_url: str, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that is down for too long leaves a dead letter; after `retry` the session is stored."""
    monkeypatch.setattr(attempts, "MOST_ATTEMPTS", 1)
    broken = replace(models, facts=Down())
    service = MemoryService(database_url, models=broken)
    await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
    assert await service.flush(timeout=10) == 1
    backlog = await service.backlog()
    assert (backlog.waiting, backlog.failed) == (0, 1)
    await service.close()

    repaired = MemoryService(database_url, models=models)
    assert await repaired.retry() == 1
    for _ in range(100):
        if stored(database_url):
            break
        await asyncio.sleep(0.1)
    assert stored(database_url) == [FACT]
    assert (await repaired.backlog()).failed == 0
    await repaired.close()


class Down:
    """A model that cannot be reached."""

    name = "down"

    async def extract(self, turns: object, known: object) -> Never:
        raise ModelFailed("HTTP 503")

"""What is handed over is remembered, once, and nothing else is."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai import types

from tests.acceptance.host import APP, said, session_of, stored
from tests.contract.service.conversation import COMPANY, FACT, MORE, TURNS, search, texts
from tests.services import Services
from twofold.adk import MemoryService
from twofold.models.offline import OfflineFactExtractor
from twofold.models.open import Models


def session_with(*events: Event) -> Session:
    """Return a session of these events between two turns of text."""
    first, last = session_of(("user", FACT), ("clerk", "Noted."), session_id="s").events
    return Session(id="s", app_name=APP, user_id="anna", events=[first, *events, last])


def later(seconds: int) -> float:
    """Return a time that is after the turns of `session_with`, within a minute."""
    return session_of(("user", ""), session_id="now").events[0].timestamp + 60 + seconds


def event(part: types.Part | None = None, **fields: Any) -> Event:
    """Return one event of the agent."""
    content = None if part is None else types.Content(role="model", parts=[part])
    return Event(**{"id": "e", "invocation_id": "i", "author": "clerk", "content": content, **fields})


def rewind_before(invocation: str) -> Event:
    """Return the marker by which the user undid an invocation and all after it."""
    actions = EventActions(rewind_before_invocation_id=invocation)
    return event(id="r", author="user", timestamp=later(30), actions=actions)


async def test_what_was_said_is_recalled(service: MemoryService) -> None:
    await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
    assert await service.flush() == 0
    assert await texts(service) == [FACT]


async def test_with_wait_a_session_is_stored_when_the_call_returns(
    services: Services, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without letting it settle."""
    monkeypatch.setenv("TWOFOLD_SETTLE_SECONDS", "60")
    async with asyncio.timeout(30):
        await services.make(wait=True).add_session_to_memory(session_of(*TURNS, session_id="s"))
    assert stored(database_url) == [FACT]


@pytest.mark.parametrize("events", [[], [event(), event(id="f", author="user")]], ids=["empty", "without content"])
async def test_a_session_in_which_nothing_is_said_is_no_error(
    service: MemoryService, database_url: str, events: list[Event]
) -> None:
    await service.add_session_to_memory(Session(id="s", app_name=APP, user_id="anna", events=events))
    assert await service.flush() == 0
    assert stored(database_url) == []


async def test_a_session_handed_over_again_changes_nothing(services: Services, database_url: str) -> None:
    """Nor does one that another process hands over."""
    for service in (services.make(), services.make()):
        for _ in range(2):
            await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
            assert await service.flush() == 0
    assert stored(database_url) == [FACT]


async def test_a_session_that_has_grown_adds_what_is_new(service: MemoryService, database_url: str) -> None:
    for turns in (TURNS, (*TURNS, *MORE)):
        await service.add_session_to_memory(session_of(*turns, session_id="s"))
        assert await service.flush() == 0
    assert stored(database_url) == [COMPANY, FACT]


async def test_events_are_merged_by_their_id_and_the_whole_session_counts(
    services: Services, database_url: str
) -> None:
    """One message is too little, the same one again too; with a second one both count."""
    service = services.make(min_messages=2)
    session = session_of(*TURNS, session_id="s")
    for events in (session.events[:1], session.events[:1]):
        await service.add_events_to_memory(app_name=APP, user_id="anna", events=events, session_id="s")
        await service.flush()
        assert stored(database_url) == []
    await service.add_events_to_memory(app_name=APP, user_id="anna", events=session.events[1:], session_id="s")
    await service.flush()
    assert stored(database_url) == [FACT]


async def test_events_without_a_session_are_remembered_too(service: MemoryService, database_url: str) -> None:
    events = session_of(*TURNS, session_id="s").events
    await service.add_events_to_memory(app_name=APP, user_id="anna", events=events)
    await service.flush()
    assert stored(database_url) == [FACT]


async def test_memories_are_stored_as_they_are_worded_without_secrets(
    service: MemoryService, database_url: str
) -> None:
    """No extractor words them anew; a key in them is not kept."""
    entries = [
        MemoryEntry(content=said("Closes on the 3rd working day.")),
        MemoryEntry(content=said("The portal key is sk-proj-Ab12Cd34Ef56Gh78Ij90Kl12Mn34 for now.")),
    ]
    await service.add_memory(app_name=APP, user_id="anna", memories=entries)
    closes, portal = stored(database_url)
    assert closes == "Closes on the 3rd working day."
    assert portal.startswith("The portal key is ")
    assert "Ab12Cd34" not in portal
    found = await search(service, "When does it close?")
    assert {source["origin"] for entry in found for source in entry.custom_metadata["source"]} == {"host"}


async def test_more_memories_than_fit_one_request_are_stored(service: MemoryService, database_url: str) -> None:
    entries = [MemoryEntry(content=said(f"Asset {number} is in the corporate book.")) for number in range(1_001)]
    await service.add_memory(app_name=APP, user_id="anna", memories=entries)
    assert len(stored(database_url)) == 1_001


NOT_REMEMBERED = {
    "a thought": event(types.Part(text="secretly X77", thought=True)),
    "a partial chunk": event(types.Part(text="My ledger is X77"), author="user", partial=True),
    "a request for credentials": event(
        types.Part(function_call=types.FunctionCall(id="c", name="adk_request_credential", args={"secret": "X77"}))
    ),
    "an answer with credentials": event(
        types.Part(
            function_response=types.FunctionResponse(id="c", name="adk_request_credential", response={"token": "X77"})
        ),
        author="user",
    ),
}


@pytest.mark.parametrize("kind", NOT_REMEMBERED)
async def test_what_is_no_part_of_the_conversation_is_not_remembered(
    service: MemoryService, database_url: str, kind: str
) -> None:
    await service.add_session_to_memory(session_with(NOT_REMEMBERED[kind]))
    await service.flush()
    assert "X77" not in repr(await search(service, "X77"))
    assert stored(database_url) == [FACT]


async def test_a_turn_that_was_rewound_before_it_was_stored_is_not_remembered(
    service: MemoryService, database_url: str
) -> None:
    undone = event(types.Part(text="My company is 9999."), author="user", invocation_id="undone")
    rewind = event(id="r", author="user", actions=EventActions(rewind_before_invocation_id="undone"))
    await service.add_session_to_memory(session_with(undone, rewind))
    await service.flush()
    assert stored(database_url) == [FACT]


async def test_a_rewind_after_the_save_retracts_what_rested_only_on_it(
    service: MemoryService, database_url: str
) -> None:
    """A fact and a tool call; what was said before and after stays."""
    call = types.FunctionCall(id="c", name="close_period", args={"period": "2026-03"})
    answer = types.FunctionResponse(id="c", name="close_period", response={"status": "closed"})
    undone = [
        event(
            types.Part(text="My company is 9999."), id="u", author="user", invocation_id="undone", timestamp=later(0)
        ),
        event(types.Part(function_call=call), id="f", invocation_id="undone", timestamp=later(1)),
        event(types.Part(function_response=answer), id="g", invocation_id="undone", timestamp=later(2)),
    ]
    await service.add_session_to_memory(session_with(*undone))
    await service.flush()
    assert stored(database_url) == ["My company is 9999.", FACT]
    assert len(stored(database_url, "episodic")) == 1
    rewind = rewind_before("undone")
    await service.add_session_to_memory(session_with(*undone, rewind))
    await service.flush()
    assert stored(database_url) == [FACT]
    assert stored(database_url, "episodic") == []
    await service.add_session_to_memory(session_with(*undone, rewind))
    await service.flush()
    assert stored(database_url) == [FACT]


async def test_a_correction_that_is_rewound_gives_way_to_the_words_before(
    services: Services, models: Models, database_url: str
) -> None:
    service = services.make(models=replace(models, facts=OfflineFactExtractor()))
    said_first = event(types.Part(text="Our currency is EUR."), id="a", author="user", timestamp=later(0))
    corrected = types.Part(text="Our currency is USD.")
    correction = event(corrected, id="b", author="user", invocation_id="undone", timestamp=later(9))
    for events, currency in (
        ([said_first], "EUR"),
        ([said_first, correction], "USD"),
        ([said_first, correction, rewind_before("undone")], "EUR"),
    ):
        await service.add_session_to_memory(session_with(*events))
        await service.flush()
        assert f"The user's currency is {currency}." in stored(database_url)
        assert len(stored(database_url)) == 2
    assert "The user's currency is EUR." in await texts(service, "Which currency?")


async def test_what_was_spoken_is_remembered(service: MemoryService, database_url: str) -> None:
    """A live session has transcriptions where others have content."""
    spoken = event(author="user", input_transcription=types.Transcription(text=COMPANY, finished=True))
    await service.add_session_to_memory(session_with(spoken))
    await service.flush()
    assert stored(database_url) == [COMPANY, FACT]


async def test_a_session_of_tool_calls_alone_is_remembered(service: MemoryService, database_url: str) -> None:
    call = types.FunctionCall(id="c", name="close_period", args={"period": "2026-03"})
    answer = types.FunctionResponse(id="c", name="close_period", response={"error": "open subledgers exist"})
    events = [event(types.Part(function_call=call)), event(types.Part(function_response=answer), id="f")]
    await service.add_session_to_memory(Session(id="s", app_name=APP, user_id="anna", events=events))
    await service.flush()
    (episode,) = stored(database_url, "episodic")
    assert "open subledgers exist" in episode
    assert await texts(service, "Why did the close fail?") != []


async def test_characters_no_database_takes_cost_nothing_but_themselves(
    service: MemoryService, database_url: str
) -> None:
    """NUL and half a character, in texts, arguments, ids."""
    call = types.FunctionCall(id="c\ud800", name="post", args={"text": "a\x00b\ud800"})
    session = session_with(
        event(types.Part(text="My company\x00 is\ud800 1000."), author="user"),
        event(types.Part(function_call=call), id="f\ud800"),
    )
    session.id = "s\ud800"
    await service.add_session_to_memory(session)
    assert await service.flush() == 0
    assert stored(database_url) == [COMPANY, FACT]
    assert len(stored(database_url, "episodic")) == 1

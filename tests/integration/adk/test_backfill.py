"""What is handed over late is remembered as if it had been handed over when it was said."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions

from tests.database import DatabaseServer
from tests.recorded_telemetry import Telemetry, telemetry
from tests.services import as_url, migrated
from tests.stored_sessions import JANUARY, Kept, close, kept, talk
from tests.unit.adk.shapes import event, text
from twofold.adk import backfill as filling
from twofold.adk.backfill import Backfill, Tally
from twofold.adk.scopes import app_is_tenant
from twofold.adk.stored import sessions as paging
from twofold.adk.stored.sessions import SessionFilter
from twofold.adk.stored.source import opened_source
from twofold.adk.transcript import transcript_of
from twofold.app import MemoryApp
from twofold.memory.errors import InvalidInput
from twofold.memory.memories import FactChange, Memory
from twofold.memory.scope import Scope
from twofold.memory.steps import Turn
from twofold.memory.transcript import Entry
from twofold.models.offline import OfflineFactExtractor, OfflineNarrator
from twofold.models.open import Models
from twofold.testing import HashEmbedder, memory_app

__all__ = ["migrated", "telemetry"]

ANNA = Scope(tenant_id="month_end", user_id="anna")
LEDGER = "The user works with the US Primary ledger."
POISON = "poison"


class Choking(OfflineFactExtractor):
    """Takes facts by rules, and cannot stand one word."""

    async def extract(self, turns: Sequence[Turn], known: Sequence[Memory]) -> Sequence[FactChange]:
        if any(POISON in turn.text for turn in turns):
            raise InvalidInput("turns: cannot be read")
        return await super().extract(turns, known)


@pytest_asyncio.fixture
async def app(database_server: DatabaseServer, migrated: str) -> AsyncIterator[MemoryApp]:
    models = Models(facts=Choking(), narrator=OfflineNarrator(), embedder=HashEmbedder())
    with database_server.database(template=migrated) as url:
        async with memory_app(as_url(url), models=models) as opened:
            yield opened


@pytest_asyncio.fixture
async def source(tmp_path: Path) -> AsyncIterator[Kept]:
    async with kept("sqlite", tmp_path, "") as lent:
        yield lent


async def backfilled(app: MemoryApp, source: Kept, concurrency: int | None = 2) -> Tally:
    run = Backfill(app, app_is_tenant, concurrency=concurrency)
    with opened_source(source.address, SessionFilter()) as opened:
        await run.run(opened.parts())
    return run.tally


async def facts(app: MemoryApp, scope: Scope = ANNA) -> list[str]:
    return sorted(memory.text for memory in await app.memories(scope, "semantic"))


async def test_it_comes_to_what_the_service_would_have_kept(app: MemoryApp, source: Kept) -> None:
    """The same session handed over by ADK's runner afterwards holds nothing new."""
    await source.keep("s1", [*talk("t1", "My ledger is US Primary."), *close("t2", "2026-03", "open subledgers")])
    assert await backfilled(app, source) == Tally(sessions=1, events=6, accepted=1, saved=1)
    live = await source.service.get_session(app_name="month_end", user_id="anna", session_id="s1")
    assert live is not None
    accepted = await app.database.inbox.accept(ANNA, "s1", transcript_of(live).entries, 0)
    assert (accepted.revision, accepted.changed) == (1, False)


async def test_the_newest_session_has_the_last_word_whatever_its_id(app: MemoryApp, source: Kept) -> None:
    for name, day in {"b": 1, "c": 0, "a": 2}.items():  # neither kept nor named in the order of time
        said = talk(name, f"My ledger is Ledger {day}.", JANUARY + timedelta(days=day))
        await source.keep(name, said)
    await backfilled(app, source)
    assert await facts(app) == ["The user works with the Ledger 2 ledger."]


async def test_a_session_that_went_on_is_merged(app: MemoryApp, source: Kept) -> None:
    await source.keep("s1", talk("t1", "My ledger is US Primary."))
    await backfilled(app, source)
    live = await source.service.get_session(app_name="month_end", user_id="anna", session_id="s1")
    assert live is not None
    for each in talk("t2", "No, my ledger is EU Primary.", JANUARY + timedelta(days=1)):
        await source.service.append_event(live, each)
    assert await backfilled(app, source) == Tally(sessions=1, events=4, accepted=1, saved=1)
    assert await facts(app) == ["The user works with the EU Primary ledger."]


async def test_a_long_session_is_handed_over_in_parts_and_saved_once(
    app: MemoryApp, source: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[Event] = []
    for number in range(6):
        events += close(f"c{number}", f"2026-0{number}", at=JANUARY + timedelta(days=number))
    await source.keep("s1", [*talk("t1", "My ledger is US Primary."), *events])
    monkeypatch.setattr(paging, "EVENTS_A_PAGE", 3)
    monkeypatch.setattr(paging, "EVENTS_A_PART", 6)
    assert await backfilled(app, source) == Tally(sessions=1, events=26, accepted=1, saved=1)
    state = await app.database.inbox.state(ANNA, "s1")
    assert state is not None
    assert (state.revision, state.done_revision) == (5, 5)
    history = await app.database.memories.history(ANNA)
    assert sorted((entry.kind, entry.action) for entry in history) == [("episodic", "ADD"), ("semantic", "ADD")]
    assert await backfilled(app, source) == Tally(sessions=1, events=26, unchanged=1)


async def test_what_was_undone_and_what_was_only_thought_is_not_remembered(app: MemoryApp, source: Kept) -> None:
    rewind = EventActions(rewind_before_invocation_id="t1")
    events = [
        *talk("t1", "My ledger is Undone."),
        event(author="user", id="w", invocation_id="t9", timestamp=JANUARY.timestamp() + 9, actions=rewind),
        *talk("t2", "My ledger is US Primary.", JANUARY + timedelta(minutes=1)),
        event(text("Secretly.", thought=True), id="h", invocation_id="t2", timestamp=JANUARY.timestamp() + 70),
    ]
    await source.keep("s1", events)
    await backfilled(app, source)
    assert await facts(app) == [LEDGER]
    loaded = await app.database.inbox.load(ANNA, "s1")
    assert loaded is not None
    assert not [entry for entry in loaded.transcript.entries if entry.thought]


async def test_what_was_erased_stays_erased(app: MemoryApp, source: Kept) -> None:
    await source.keep("s1", talk("t1", "My ledger is US Primary."))
    await backfilled(app, source)
    await app.database.memories.erase_session(ANNA, "s1")
    assert await backfilled(app, source) == Tally(sessions=1, events=2, empty=1)
    assert await facts(app) == []


async def test_a_save_that_is_given_up_is_counted_and_holds_up_nobody(app: MemoryApp, source: Kept) -> None:
    await source.keep("s1", talk("t1", POISON))
    await source.keep("s2", talk("t2", "My ledger is US Primary."))
    assert await backfilled(app, source) == Tally(sessions=2, events=4, accepted=2, saved=1, failed=1)
    assert await facts(app) == [LEDGER]
    assert await backfilled(app, source) == Tally(sessions=2, events=4, unchanged=2, failed=1)


async def test_a_session_that_is_refused_is_counted_and_named(
    app: MemoryApp, source: Kept, caplog: pytest.LogCaptureFixture
) -> None:
    await source.keep("s1", talk("t1", "Hello.", datetime(9999, 6, 1, tzinfo=UTC)))  # no zone could tell it
    await source.keep("s2", [])
    await source.keep("s3", talk("t3", "My ledger is US Primary."))
    assert await backfilled(app, source) == Tally(sessions=3, events=4, refused=1, empty=1, accepted=1, saved=1)
    assert "Session s1 of user anna is not accepted" in caplog.text


async def test_only_so_many_saves_wait_at_once(app: MemoryApp, source: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a person says today is not saved behind everything anybody ever said."""
    monkeypatch.setattr(filling, "MOST_WAITING", 2)
    for number in range(9):
        await source.keep(f"s{number}", talk(f"t{number}", "Hello."), user=f"user-{number}")
    waiting = []
    run = Backfill(app, app_is_tenant, concurrency=1, tell=lambda tally: waiting.append(tally.waiting))
    with opened_source(source.address, SessionFilter()) as opened:
        await run.run(opened.parts())
    assert run.tally.saved == 9
    assert max(waiting) == 3


async def test_nothing_waits_for_saves_that_are_left_to_others(app: MemoryApp, source: Kept) -> None:
    await source.keep("s1", talk("t1", "My ledger is US Primary."))
    assert await backfilled(app, source, concurrency=None) == Tally(sessions=1, events=2, accepted=1)
    assert (await app.database.backlog.pending()).waiting == 1


async def test_what_a_backfill_accepts_is_measured_like_any_other(
    app: MemoryApp, source: Kept, telemetry: Telemetry
) -> None:
    await source.keep("s1", talk("t1", "My ledger is US Primary."))
    await source.keep("s2", talk("t2", "Hello.", datetime(9999, 6, 1, tzinfo=UTC)))
    for _ in range(2):
        await backfilled(app, source, concurrency=None)
    told = [dict(span.attributes or {}) for span in telemetry.spans if span.name == "memory_accept"]
    outcomes = [str(each["twofold.outcome"]) for each in told if each["twofold.entries"]]
    assert sorted(outcomes) == ["accepted", "failed", "failed", "unchanged"]


async def saved_in_order(app: MemoryApp, monkeypatch: pytest.MonkeyPatch, last: str, revision: int) -> list[str]:
    """Let a worker save one session after another until one is saved, and return which were, in order."""
    order: list[str] = []
    mark = app.database.inbox.mark_done

    async def noted(scope: Scope, session_id: str, *given: Any, **more: Any) -> None:
        order.append(session_id)
        await mark(scope, session_id, *given, **more)

    monkeypatch.setattr(type(app.database.inbox), "mark_done", lambda _, *given, **more: noted(*given, **more))
    async with app.working(concurrency=1):
        assert await app.stored(ANNA, last, revision, 60)
    return order


async def test_what_is_said_today_is_saved_before_what_a_backfill_left_to_others(
    app: MemoryApp, source: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        await source.keep(f"s{number}", talk(f"t{number}", "Hello.", JANUARY + timedelta(days=number)))
    await backfilled(app, source, concurrency=None)
    today = Entry(event_id="e1", kind="said", author="user", text="My ledger is US Primary.", at=JANUARY)
    await app.database.inbox.accept(ANNA, "live", [today], settle=0.001)
    await app.hurry(ANNA, "s1")
    assert await saved_in_order(app, monkeypatch, "s2", 1) == ["s1", "live", "s0", "s2"]


async def test_a_long_session_keeps_its_place_and_waits_for_none_of_its_parts(
    app: MemoryApp, source: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "EVENTS_A_PAGE", 2)
    monkeypatch.setattr(paging, "EVENTS_A_PART", 4)
    monkeypatch.setattr(filling, "BETWEEN_PARTS_SECONDS", 3600.0)
    for number, turns in enumerate((1, 6, 1)):
        day = JANUARY + timedelta(days=number)
        said = [each for turn in range(turns) for each in talk(f"t{number}.{turn}", "Hello.", day)]
        await source.keep(f"s{number}", said)
    await backfilled(app, source, concurrency=None)
    assert await saved_in_order(app, monkeypatch, "s2", 1) == ["s0", "s1", "s2"]

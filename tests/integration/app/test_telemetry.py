"""What OpenTelemetry is told of a memory in use: whose child each span is, what adds up, and that nobody is quoted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from google.adk.sessions import InMemorySessionService
from opentelemetry import trace
from opentelemetry.trace import StatusCode

from tests.acceptance.host import Host, Replies, agent_with, session_of
from tests.recorded_telemetry import Telemetry, telemetry
from tests.remote.served import KEY, served
from tests.services import as_url
from twofold.adk import MemoryService
from twofold.app import MemoryApp
from twofold.memory.errors import InvalidInput
from twofold.memory.memories import FactChange, Memory
from twofold.memory.scope import Scope
from twofold.memory.steps import Turn
from twofold.memory.transcript import Entry, Transcript
from twofold.store import attempts
from twofold.store.migrate import migrate
from twofold.telemetry import ATTRIBUTES, METRICS, searching
from twofold.testing import EchoExtractor, FixedClock, memory_app, memory_service, test_models

__all__ = ["telemetry"]

ANNA = Scope(tenant_id="canary tenant", user_id="canary user")
NINE = datetime(2026, 3, 1, 9, tzinfo=UTC)
SESSION = "canary session"


class Quoting(EchoExtractor):
    """An extractor that breaks once, quoting what was said."""

    def __init__(self, error: type[Exception] | None) -> None:
        self._error = error

    async def extract(self, turns: Sequence[Turn], known: Sequence[Memory]) -> Sequence[FactChange]:
        error, self._error = self._error, None
        if error is not None:
            raise error(turns[0].text)
        return await super().extract(turns, known)


def transcript() -> Transcript:
    entries = [
        Entry(event_id=f"e{number}", kind="said", author=author, invocation_id="i", text=f"canary {number}", at=NINE)
        for number, author in enumerate(("user", "clerk", "user"))
    ]
    return Transcript(session_id=SESSION, entries=tuple(entries))


async def until(met: Callable[[], bool]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(60):
        while not met():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def saved(app: MemoryApp, telemetry: Telemetry, *, spans: int) -> None:
    """Accept a session and have a worker save it, until so many attempts have ended."""
    await app.accept(ANNA, transcript(), at_once=True)
    async with app.working():
        await until(lambda: len([span for span in telemetry.spans if span.name == "memory_save"]) == spans)


async def test_a_save_is_a_trace_of_its_own_and_not_part_of_what_accepted_it(
    database_url: str, telemetry: Telemetry
) -> None:
    async with memory_app(database_url) as app:
        with trace.get_tracer("host").start_as_current_span("turn"):
            await saved(app, telemetry, spans=1)
    tree = telemetry.tree()
    assert ("memory_accept", "turn") in tree
    assert ("memory_save", "") in tree
    assert ("memory_write", "memory_save") in tree
    assert len([name for name, parent in tree if parent == "memory_write"]) == 6
    assert telemetry.attributes("memory_accept") == {"twofold.entries": 3, "twofold.outcome": "accepted"}
    assert telemetry.attributes("memory_save") == {"twofold.attempt": 1, "twofold.outcome": "stored"}


@pytest.mark.parametrize(("error", "outcomes"), [(KeyError, ["failed", "stored"]), (InvalidInput, ["given_up"])])
async def test_every_attempt_is_told_with_what_it_came_to(
    database_url: str,
    telemetry: Telemetry,
    monkeypatch: pytest.MonkeyPatch,
    error: type[Exception],
    outcomes: list[str],
) -> None:
    monkeypatch.setattr(attempts, "retry_delay", lambda _: 0.0)
    models = replace(test_models(), facts=Quoting(error))
    async with memory_app(database_url, models=models) as app:
        await saved(app, telemetry, spans=len(outcomes))
    told = telemetry.attributes_of_all("memory_save")
    assert [(each["twofold.attempt"], each["twofold.outcome"]) for each in told] == list(enumerate(outcomes, 1))
    assert told[0]["error.type"] == error.__name__
    first = next(span for span in telemetry.spans if span.name == "memory_save")
    assert (first.status.status_code, first.status.description) == (StatusCode.ERROR, error.__name__)
    measured = telemetry.measured()["twofold.save.duration"]
    assert measured == {f"{error.__name__} {outcomes[0]}": 1, **dict.fromkeys(outcomes[1:], 1)}


async def test_the_metrics_add_up_and_are_the_declared_ones(database_url: str, telemetry: Telemetry) -> None:
    async with memory_app(database_url) as app:
        await app.accept(ANNA, transcript())
        await app.accept(ANNA, transcript())
        await saved(app, telemetry, spans=1)
        with searching():
            await app.recall(ANNA, "canary")
        for error in (TimeoutError("canary"), KeyError("canary")):
            with suppress(type(error)), searching():
                raise error
    measured = telemetry.measured()
    assert measured == {
        "twofold.accept.duration": {"accepted": 1, "unchanged": 2},
        "twofold.save.duration": {"stored": 1},
        "twofold.search.duration": {"answered": 1, "TimeoutError timed_out": 1, "KeyError failed": 1},
        "twofold.memories.changed": {"ADD semantic": 2},
    }
    assert set(measured) <= {metric.name for metric in METRICS}


async def test_gauges_tell_what_waits_while_somebody_looks(database_url: str, telemetry: Telemetry) -> None:
    clock = FixedClock(NINE)
    async with memory_app(database_url, clock=clock, settle_seconds=3600) as app:
        await app.accept(ANNA, transcript())
        await app.accept(Scope(tenant_id="acme", user_id="ben"), transcript())
        await app.database.inbox.mark_failed(ANNA, SESSION, 1, "no model", final=True)
        clock.move(timedelta(hours=2))
        assert "twofold.sessions.waiting" not in telemetry.measured()
        async with app.watch.going_on():
            await until(lambda: app.watch.health.backlog is not None)
            found = telemetry.measured()
        assert "twofold.sessions.waiting" not in telemetry.measured()
    assert (found["twofold.sessions.waiting"], found["twofold.sessions.given_up"]) == ({"": 1}, {"": 1})
    assert 7200 <= found["twofold.sessions.oldest.age"][""] < 7300


async def test_no_span_holds_a_word_or_an_id_not_even_of_an_error(database_url: str, telemetry: Telemetry) -> None:
    models = replace(test_models(), facts=Quoting(InvalidInput))
    async with memory_app(database_url, models=models) as app:
        await saved(app, telemetry, spans=1)
        await app.database.backlog.try_anew()
        await saved(app, telemetry, spans=2)
        await app.recall(ANNA, "canary?", SESSION)
    assert "canary" not in telemetry.text()
    assert not [span for span in telemetry.spans if span.events]
    assert {name for span in telemetry.spans for name in span.attributes or ()} <= set(ATTRIBUTES)


async def test_what_an_agent_does_with_memory_is_part_of_its_own_trace(database_url: str, telemetry: Telemetry) -> None:
    """Though recall and accept run on a thread and a loop of their own; the save of a turn is no part of it."""
    async with memory_service(as_url(database_url), wait=False) as service:
        host = Host(service=service, sessions=InMemorySessionService())
        await host.say(agent_with(Replies()), "I use US Primary.", "Which ledger do I use?")
        assert await service.flush() == 0
    agents = {span.context.span_id: span for span in telemetry.everything if span not in telemetry.spans}
    turns = [span.context.trace_id for span in agents.values() if span.parent is None]
    assert len(turns) == 2
    for name in ("memory_read", "memory_accept"):
        ours = [span for span in telemetry.spans if span.name == name]
        assert [span.context.trace_id for span in ours] == turns
        assert all(span.parent is not None and span.parent.span_id in agents for span in ours), name
    saves = [span for span in telemetry.spans if span.name == "memory_save"]
    assert [span.parent for span in saves] == [None] * len(saves) != []
    assert telemetry.measured()["twofold.search.duration"] == {"answered": 2}


async def test_what_begins_with_the_first_call_is_no_part_of_it(database_url: str, telemetry: Telemetry) -> None:
    """Neither the worker nor anything it does for others later belongs to the turn that opened the memory."""
    async with memory_service(as_url(database_url), wait=True) as service:
        host = Host(service=service, sessions=InMemorySessionService())
        await host.say(agent_with(Replies()), "I use US Primary.")
    traces = {span.name: span.context.trace_id for span in telemetry.spans if span.context}
    assert traces["memory_accept"] == traces["memory_read"]
    assert traces["memory_save"] == traces["memory_write"] == traces["memory_write.persist"]
    assert traces["memory_save"] != traces["memory_accept"]


async def test_what_a_server_does_for_a_request_is_part_of_the_callers_trace(
    database_url: str, telemetry: Telemetry
) -> None:
    """No span tells the address: it holds ids."""
    models = test_models()
    await migrate(database_url, dims=models.embedder.dims, embedder=models.embedder.name)
    with served(database_url, models) as url:
        service = MemoryService(url, service_key=KEY)
        with trace.get_tracer("host").start_as_current_span("turn") as turn:
            await service.add_session_to_memory(session_of(("user", "canary"), session_id="canary"))
            await service.search_memory(app_name="books", user_id="canary", query="canary")
        await service.flush()
        await service.backlog()
        await service.close()
    assert ("memory_accept", "turn") in telemetry.tree()
    assert ("memory_read", "turn") in telemetry.tree()
    assert {span.parent for span in telemetry.spans if span.name == "memory_save"} == {None}
    assert turn.get_span_context().trace_id == telemetry.one("memory_read").context.trace_id
    assert [span.name for span in telemetry.everything if span not in telemetry.spans] == ["turn"]
    assert "canary" not in telemetry.text()

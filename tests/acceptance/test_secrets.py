"""No secret of a session, a query or a model's reply is found in a dump of all that is kept, sent or logged."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest

from tests.acceptance.host import APP
from tests.acceptance.secrets_session import STATE, Planted, entry_with, session_with_secrets
from tests.canaries import FORMS, found_in, seeded
from tests.dumped import dumped
from tests.recorded_telemetry import Telemetry, telemetry
from twofold.adk import MemoryService
from twofold.memory.redaction import KINDS
from twofold.testing import OpenAIDouble, Reply

__all__ = ["telemetry"]

SEED = "journey"
EVENTS = ["e1"]
CLOSES = ("Memory", {"content": "The user's ledger is US_PRIMARY.", "event_ids": EVENTS})
WORDS = {"title": "password", "overall": "token", "lesson": "api key"}
DROPPED = ("pin", "token", "session cookie")
ECHOED = "a fact that nobody said"
TABLES = (
    "public.store",
    "public.store_vectors",
    "twofold.entry",
    "twofold.kept",
    "twofold.audit",
    "procrastinate_jobs",
)


@dataclass(frozen=True)
class Kept:
    """What there is to search."""

    database: bytes
    health: str


@pytest.fixture
def double(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIDouble]:
    with OpenAIDouble() as running:
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        monkeypatch.setenv("OPENAI_BASE_URL", running.base_url)
        monkeypatch.setenv("TWOFOLD_SETTLE_SECONDS", "0")
        yield running


@dataclass
class Journey:
    """One way through all that keeps something, with new secrets everywhere."""

    service: MemoryService
    double: OpenAIDouble
    planted: Planted
    database_url: str

    async def go(self) -> bytes:
        """Store a session, let two fail in one branch each, add by hand and ask; return all that was kept meanwhile."""
        self._echo()
        await self.service.add_session_to_memory(session_with_secrets(self.planted, "stored"))
        assert await self.service.flush(timeout=60) == 0
        kept = [await self._fails("EpisodeSchema", "words-fail"), await self._fails("Memory", "facts-fail")]
        for kind in FORMS:
            who: dict[str, Any] = {"app_name": APP, "user_id": "anna"}
            by_hand = entry_with(f"Noted by hand: {self.planted.said('add_memory', kind)}")
            await self.service.add_memory(memories=[by_hand], **who)
            await self.service.search_memory(query=f"{self.planted.said('a query', kind)} and my ledger?", **who)
        assert self.service.health.searches_failed == 0
        rows = b"\n".join((*kept, dumped(self.database_url))).splitlines()
        return b"\n".join(dict.fromkeys(rows))

    def _echo(self) -> None:
        """Have the model say secrets that nobody told it."""
        facts = [("Memory", {"content": self.planted.said(ECHOED, kind), "event_ids": EVENTS}) for kind in FORMS]
        self.double.script("Memory", Reply.tools(*facts, CLOSES), Reply.tools(*facts, CLOSES))
        self.double.always("Memory", Reply.tools(CLOSES))
        told = {name: self.planted.said(f"the {name} of an episode", kind) for name, kind in WORDS.items()}
        self.double.script("EpisodeSchema", Reply.tools(("EpisodeSchema", {"outcome": "failure", **told})))

    async def _fails(self, tool: str, session_id: str) -> bytes:
        """Have a save fail in one branch; return what is kept then: a job that waits, and the other branch's result."""
        kinds = ("password", "token", "api key")
        echo = " ".join(self.planted.said(f"an error of the model for {tool}", kind) for kind in kinds)
        self.double.always(tool, Reply.error(500, f"cannot read: {echo}"))
        await self.service.add_session_to_memory(session_with_secrets(self.planted, session_id, user_id=session_id))
        assert await asyncio.to_thread(self._failed, session_id)
        kept = dumped(self.database_url)
        self.double.always(tool, Reply.tools(CLOSES) if tool == "Memory" else Reply())
        assert await self.service.flush(timeout=60) == 0
        return kept

    def _failed(self, session_id: str) -> bool:
        """Wait until a save has failed, and what it was paid for and its next attempt are kept."""
        asked = """
            SELECT FROM twofold.inbox NATURAL JOIN twofold.kept
            WHERE session_id = %s AND error <> '' AND EXISTS (SELECT FROM twofold.procrastinate_jobs)
        """
        deadline = time.monotonic() + 60
        with psycopg.connect(self.database_url, autocommit=True) as connection:
            while time.monotonic() < deadline:
                if connection.execute(asked, (session_id,)).fetchone() is not None:
                    return True
                time.sleep(0.05)
        return False


async def gone(policy: dict[str, str], double: OpenAIDouble, database_url: str) -> tuple[Planted, Kept]:
    """Go through everything under a policy; return the canaries, and what is kept while saves still fail."""
    planted = Planted(seeded(SEED))
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("TWOFOLD_REDACTION", json.dumps(policy))
        service = MemoryService(database_url)
    try:
        database = await Journey(service, double, planted, database_url).go()
        return planted, Kept(database=database, health=str(service.health))
    finally:
        await service.close()


async def test_no_secret_is_found_in_anything_that_is_kept_sent_or_logged(
    double: OpenAIDouble,
    empty_database_url: str,
    caplog: pytest.LogCaptureFixture,
    telemetry: Telemetry,
) -> None:
    caplog.set_level(logging.DEBUG, "twofold")
    planted, kept = await gone(
        dict.fromkeys(KINDS, "mask") | dict.fromkeys(DROPPED, "drop"), double, empty_database_url
    )
    told = {
        "the database": kept.database,
        "what the model was sent": b"\n".join(json.dumps(each.body).encode() for each in double.requests),
        "the log": f"{caplog.text}\n{kept.health}".encode(),
        "the spans": telemetry.text().encode(),
    }
    for name, dump in told.items():
        assert len(dump) > 1000, name
        found = found_in(dump, planted.canaries)
        # A reply that is refused is shown to the model that made it.
        if name == "what the model was sent":
            found = {place: form for place, form in found.items() if ECHOED not in place}
        assert found == {}, name


async def test_what_a_policy_keeps_is_found_so_that_the_search_above_would_find_it(
    double: OpenAIDouble, empty_database_url: str
) -> None:
    """All but what is never taken over: state, thoughts, queries, what a model made up, and errors as they are."""
    planted, kept = await gone(dict.fromkeys(KINDS, "keep"), double, empty_database_url)
    found = found_in(kept.database, planted.canaries)
    assert not [place for place in found if STATE in place]
    never = (STATE, ECHOED, "a query", "a thought", "an episode", "an error of the model")
    assert [
        place for place in planted.canaries if place not in found and not any(each in place for each in never)
    ] == []

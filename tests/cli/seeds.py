"""What is remembered, accepted and given up in a database before a command looks at it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from twofold.app import MemoryApp
from twofold.memory.scope import Scope
from twofold.memory.transcript import Entry, Transcript
from twofold.memory.verbatim import VerbatimText
from twofold.models.offline import OfflineNarrator
from twofold.models.open import Models
from twofold.testing import EchoExtractor, FixedClock, HashEmbedder, memory_app

T = TypeVar("T")

ANNA = Scope(tenant_id="acme", user_id="anna.meier@acme.example")
BEN = Scope(tenant_id="acme", user_id="ben")
MARCH = datetime(2026, 3, 31, 17, 0, tzinfo=UTC)
CAUSE = "ModelFailed: the model is away"


class _Named(HashEmbedder):
    """Word vectors under the name of the local model: what is seeded needs no model, what is searched does."""

    @property
    def name(self) -> str:
        return "minilm:all-MiniLM-L6-v2-int8-256"


NAMED = _Named(384)


class Seeds:
    """Fills a database; each call opens it anew."""

    later = MARCH + timedelta(days=1)

    def __init__(self, url: str) -> None:
        self.url = url

    def facts(self, scope: Scope, *texts: str, at: datetime = MARCH) -> None:
        """Store facts in the host's words, an hour apart."""
        verbatim = [VerbatimText(text=text, at=at + timedelta(hours=number)) for number, text in enumerate(texts)]
        self._with(lambda app: app.add(scope, verbatim))

    def accept(
        self, scope: Scope, session_id: str, text: str = "My ledger is US Primary.", at: datetime = MARCH
    ) -> None:
        """Accept a session, due now."""
        self._with(lambda app: app.accept(scope, transcript(session_id, said(text, at)), at_once=True))

    def remember(self, scope: Scope, session_id: str, *more: Entry, at: datetime = MARCH) -> None:
        """Accept a session and save it."""

        async def saved(app: MemoryApp) -> None:
            entries = (*said("My ledger is US Primary.", at), *more)
            revision = await app.accept(scope, transcript(session_id, entries), at_once=True)
            await app.save_session(scope, session_id, revision)

        self._with(saved)

    def give_up(self, scope: Scope, session_id: str, cause: str = CAUSE) -> None:
        """Accept a session whose save was given up."""

        async def given_up(app: MemoryApp) -> None:
            await app.accept(scope, transcript(session_id, said("My ledger is US Primary.", MARCH)), at_once=True)
            await app.database.inbox.mark_failed(scope, session_id, 1, cause, final=True)

        self._with(given_up)

    def texts(self, scope: Scope) -> list[str]:
        """Return what is remembered of a person."""
        memories: Sequence[str] = self._with(_texts(scope))
        return sorted(memories)

    def pending(self) -> tuple[int, int]:
        """Return how many sessions wait, and how many were given up."""

        async def counted(app: MemoryApp) -> tuple[int, int]:
            found = await app.database.backlog.pending()
            return found.waiting, found.failed

        return self._with(counted)

    def _with(self, act: Callable[[MemoryApp], Awaitable[T]]) -> T:
        async def acted() -> T:
            async with opened(self.url) as app:
                return await act(app)

        return asyncio.run(acted())


@asynccontextmanager
async def opened(url: str, *, clock: FixedClock | None = None) -> AsyncIterator[MemoryApp]:
    """Open a memory that needs no model."""
    models = Models(facts=EchoExtractor(), narrator=OfflineNarrator(), embedder=NAMED)
    async with memory_app(url, models=models, clock=clock) as app:
        yield app


def transcript(session_id: str, entries: Sequence[Entry]) -> Transcript:
    """Return a session."""
    return Transcript(session_id=session_id, entries=tuple(entries))


def said(text: str, at: datetime) -> tuple[Entry, Entry]:
    """Return a text of the user and the answer."""
    mark = f"{text}-{at.isoformat()}"
    return (
        Entry(event_id=f"u-{mark}", kind="said", author="user", invocation_id=mark, text=text, at=at),
        Entry(event_id=f"a-{mark}", kind="said", author="clerk", invocation_id=mark, text="Noted.", at=at),
    )


def failed_close(at: datetime = MARCH) -> tuple[Entry, ...]:
    """Return a request whose one tool call fails."""
    request = Entry(event_id="r", kind="said", author="user", invocation_id="close", text="Close March.", at=at)
    call = replace(
        request,
        event_id="c",
        kind="called",
        author="clerk",
        text="",
        tool="close_period",
        call_id="c1",
        payload={"period": "2026-03"},
    )
    return request, call, replace(call, event_id="x", kind="returned", payload={"error": "open subledgers"})


def _texts(scope: Scope) -> Callable[[MemoryApp], Awaitable[list[str]]]:
    async def texts(app: MemoryApp) -> list[str]:
        found = (await app.memories(scope, "semantic"), await app.memories(scope, "episodic"))
        return [memory.text for memories in found for memory in memories]

    return texts

"""An erase while a save runs: whatever the save is at, nothing of the erased is left when it has ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

import pytest

from tests.database import DatabaseServer, tables_with
from twofold.app import MemoryApp
from twofold.graphs.write import build_write
from twofold.memory.memories import Applied, FactChange, Memory, Progress, Save, Vector
from twofold.memory.scope import Scope
from twofold.memory.steps import Turn
from twofold.memory.transcript import Entry, Transcript
from twofold.models.offline import OfflineNarrator
from twofold.models.open import Models
from twofold.store.migrate import migrate
from twofold.testing import EchoExtractor, HashEmbedder, memory_app

Phase: TypeAlias = Literal["before it is split", "while it is extracted", "before it is stored", "after it is stored"]
PHASES: tuple[Phase, ...] = (
    "before it is split",
    "while it is extracted",
    "before it is stored",
    "after it is stored",
)
ANNA = Scope(tenant_id="acme", user_id="anna")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
FIRST = "My bank is Quokkabank."
LATER = "My insurer is Wombatlife."


class Held:
    """Where saves stop until they are let go on."""

    def __init__(self, phase: Phase) -> None:
        self._phase = phase
        self._saves = 0
        self.reached = asyncio.Event()
        self.go_on = asyncio.Event()

    def arm(self, *, saves: int) -> None:
        """Stop so many saves that come to the phase next."""
        self._saves = saves

    async def at(self, phase: Phase) -> None:
        if self._saves and phase == self._phase:
            self._saves -= 1
            if not self._saves:
                self.reached.set()
            await self.go_on.wait()


class HeldExtractor(EchoExtractor):
    """Stops while it reads, as a model that takes its time."""

    def __init__(self, held: Held) -> None:
        self._held = held

    async def extract(self, turns: Sequence[Turn], known: Sequence[Memory]) -> Sequence[FactChange]:
        await self._held.at("while it is extracted")
        return await super().extract(turns, known)


class HeldMemories:
    """The real memories, with stops before what was stored is asked, and around the saving."""

    def __init__(self, memories: Any, held: Held) -> None:
        self._memories = memories
        self._held = held

    def __getattr__(self, name: str) -> Any:
        return getattr(self._memories, name)

    async def progress(self, scope: Scope, session_id: str) -> Progress:
        await self._held.at("before it is split")
        found: Progress = await self._memories.progress(scope, session_id)
        return found

    async def save(self, save: Save, vectors: Mapping[str, Vector]) -> Sequence[Applied]:
        await self._held.at("before it is stored")
        applied: Sequence[Applied] = await self._memories.save(save, vectors)
        await self._held.at("after it is stored")
        return applied


@pytest.fixture(scope="module")
def template(database_server: DatabaseServer) -> str:
    name = "erase_running_template"
    database_server.create(name)
    embedder = HashEmbedder()
    asyncio.run(migrate(database_server.url(name), dims=embedder.dims, embedder=embedder.name))
    return name


@pytest.fixture
def url(database_server: DatabaseServer, template: str) -> Iterator[str]:
    with database_server.database(template=template) as url:
        yield url


@asynccontextmanager
async def opened(url: str, held: Held) -> AsyncIterator[MemoryApp]:
    models = Models(facts=HeldExtractor(held), narrator=OfflineNarrator(), embedder=HashEmbedder())
    async with memory_app(url, models=models, settle_seconds=0) as app:
        ports = replace(app.write_ports, memories=HeldMemories(app.database.memories, held))
        yield replace(app, write_ports=ports, write=build_write(ports).compile(checkpointer=False))


def exchange(text: str, number: int) -> tuple[Entry, ...]:
    """Return what the user said, a tool that was called for it with these words, and what the agent said to it."""
    said = Entry(event_id=f"u{number}", kind="said", author="user", at=NOON, invocation_id=f"i{number}", text=text)
    called = replace(said, event_id=f"c{number}", kind="called", author="clerk", text="", tool="note", call_id="c")
    return (
        said,
        replace(called, call_id=f"c{number}", payload={"note": text}),
        replace(called, event_id=f"r{number}", kind="returned", call_id=f"c{number}", payload={"noted": text}),
        replace(said, event_id=f"a{number}", author="clerk", text=f"Noted: {text}"),
    )


async def accept(app: MemoryApp, scope: Scope, *entries: Entry) -> int:
    return await app.accept(scope, Transcript(session_id="s1", entries=entries), at_once=True)


async def ended(app: MemoryApp, *people: Scope) -> None:
    """Wait until no save of these people runs or waits."""
    for _ in range(3000):
        left = [await app.database.memories.remains(scope) for scope in people]
        if not any(remains.running or remains.rows["twofold.procrastinate_jobs"] for remains in left):
            return
        await asyncio.sleep(0.02)
    raise AssertionError("a save runs on")


@pytest.mark.parametrize("phase", PHASES)
async def test_nothing_is_left_of_what_is_erased_while_it_is_saved(url: str, phase: Phase) -> None:
    one, whole, all_of = (Scope(tenant_id=tenant, user_id="anna") for tenant in ("session", "user", "tenant"))
    people = (one, whole, all_of)
    held = Held(phase)
    async with opened(url, held) as app, app.working(concurrency=3):
        held.arm(saves=3)
        for scope in people:
            await accept(app, scope, *exchange(FIRST, 1))
        await asyncio.wait_for(held.reached.wait(), 60)
        memories = app.database.memories
        await memories.erase_session(one, "s1")
        await memories.erase_user(whole)
        await memories.erase_tenant(all_of.tenant_id)
        held.go_on.set()
        await ended(app, *people)
        assert tables_with(url, "Quokka") == set()
        left = [await memories.remains(scope, session_id="s1" if scope is one else None) for scope in people]
        assert [remains.total for remains in left] == [0, 0, 0]
        # … and it is not the end: what is said from now on is remembered.
        anew = tuple(replace(entry, at=datetime.now(UTC)) for entry in exchange(LATER, 2))  # noqa: TID251 - of now
        for scope in people:
            assert await app.stored(scope, "s1", await accept(app, scope, *exchange(FIRST, 1), *anew), 60)
            assert [memory.text for memory in await app.memories(scope, "semantic")] == [LATER]
        assert tables_with(url, "Quokka") == set()


@pytest.mark.parametrize("phase", PHASES)
async def test_nothing_is_left_of_a_memory_erased_while_its_session_is_saved_again(url: str, phase: Phase) -> None:
    held = Held(phase)
    async with opened(url, held) as app, app.working():
        assert await app.stored(ANNA, "s1", await accept(app, ANNA, *exchange(FIRST, 1)[::3]), 60)
        [fact] = await app.memories(ANNA, "semantic")
        held.arm(saves=1)
        revision = await accept(app, ANNA, *exchange(LATER, 2))
        await asyncio.wait_for(held.reached.wait(), 60)
        await app.database.memories.erase_memory(ANNA, fact.key)
        held.go_on.set()
        assert await app.stored(ANNA, "s1", revision, 60)
        await ended(app, ANNA)
        assert tables_with(url, "Quokka") == set()
        assert [memory.text for memory in await app.memories(ANNA, "semantic")] == [LATER]

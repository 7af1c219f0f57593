"""However a session is handed over, it comes to the same memories: once, and paid once."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from twofold.app import MemoryApp
from twofold.memory.errors import Conflict
from twofold.memory.memories import FactChange, Memory
from twofold.memory.rewinds import with_starts
from twofold.memory.scope import Scope
from twofold.memory.steps import Episode, EpisodeWords, Turn
from twofold.memory.transcript import Entry, Transcript
from twofold.models.offline import OfflineNarrator
from twofold.models.open import Models
from twofold.nodes.plain import ENTRIES, plain
from twofold.testing import EchoExtractor, HashEmbedder, memory_app

ANNA = Scope(tenant_id="acme", user_id="anna")
NINE = datetime(2026, 3, 1, 9, tzinfo=UTC)
SESSION = "s1"


class Counting(EchoExtractor):
    """Counts how often each event was sent to the model."""

    def __init__(self) -> None:
        self.sent: Counter[str] = Counter()

    async def extract(self, turns: Sequence[Turn], known: Sequence[Memory]) -> Sequence[FactChange]:
        self.sent.update(turn.event_id for turn in turns)
        return await super().extract(turns, known)


class Telling(OfflineNarrator):
    """Counts the episodes that were worded; the first can be made to hang until `go`."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.go, self.hangs = asyncio.Event(), asyncio.Event()
        self.go.set()

    async def tell(self, episode: Episode) -> EpisodeWords:
        self.told.append(episode.narrative)
        if len(self.told) == 1:
            self.hangs.set()
            await self.go.wait()
        return await super().tell(episode)


class Paid:
    """The models of one app, and what was asked of them."""

    def __init__(self) -> None:
        self.facts, self.narrator = Counting(), Telling()
        self.models = Models(facts=self.facts, narrator=self.narrator, embedder=HashEmbedder())


@pytest.fixture
def paid() -> Paid:
    return Paid()


@pytest.fixture
async def app(database_url: str, paid: Paid) -> AsyncIterator[MemoryApp]:
    async with memory_app(database_url, models=paid.models, settle_seconds=3600) as opened:
        yield opened


def invocation(number: int) -> list[Entry]:
    """Return what one message of the user comes to: a call of a tool in every second one."""
    at = NINE + timedelta(minutes=10 * number)
    common: dict[str, Any] = {"invocation_id": f"i{number}"}
    entries = [Entry(event_id=f"u{number}", kind="said", author="user", at=at, text=f"Fact number {number}", **common)]
    if number % 2:
        call: dict[str, Any] = {"author": "clerk", "tool": "close_period", "call_id": f"c{number}", **common}
        called, returned = at + timedelta(minutes=1), at + timedelta(minutes=2)
        entries.append(Entry(event_id=f"c{number}", kind="called", at=called, payload={"period": number}, **call))
        entries.append(Entry(event_id=f"r{number}", kind="returned", at=returned, payload="closed", **call))
    answered = at + timedelta(minutes=3)
    entries.append(Entry(event_id=f"a{number}", kind="said", author="clerk", at=answered, text="Done.", **common))
    return entries


WHOLE = [entry for number in range(6) for entry in invocation(number)]
REWIND = Entry(
    event_id="rewind",
    kind="rewound",
    author="user",
    at=NINE + timedelta(minutes=35),  # undoes invocations 2 and 3
    rewinds_to="i2",
    invocation_id="i-rewind",
)
LEFT = ["Fact number 0", "Fact number 1", "Fact number 4", "Fact number 5"]


async def hand_over(app: MemoryApp, entries: Sequence[Entry]) -> None:
    revision = await app.accept(ANNA, Transcript(session_id=SESSION, entries=tuple(entries)))
    await app.save_session(ANNA, SESSION, revision)


async def run_graph(app: MemoryApp, entries: Sequence[Entry]) -> None:
    scope = {"tenant_id": ANNA.tenant_id, "user_id": ANNA.user_id}
    given: Any = {"scope": scope, "session_id": SESSION, "entries": plain(ENTRIES, tuple(entries))}
    for _ in range(20):
        try:
            await app.write.ainvoke(given)
        except Conflict:
            continue
        return


async def contents(app: MemoryApp) -> tuple[list[str], list[tuple[str, str, list[str]]]]:
    """Return the facts, and each episode with its words and events."""
    facts = sorted(memory.text for memory in await app.memories(ANNA, "semantic"))
    episodes = await app.memories(ANNA, "episodic")
    return facts, [(e.key, e.text, sorted(i for source in e.sources for i in source.event_ids)) for e in episodes]


def plan(seed: int, entries: Sequence[Entry]) -> list[list[Entry]]:
    """Return hand-overs of a session that grows, is cut at both ends, shuffled and repeated, and at last is whole."""
    chance = random.Random(seed)  # noqa: S311 - a plan that can be repeated
    plans: list[list[Entry]] = []
    for end in sorted(chance.sample(range(1, len(entries)), 4)):
        part = list(entries[chance.choice([0, 0, chance.randrange(end)]) : end])
        chance.shuffle(part)
        plans += [part] * chance.choice([1, 1, 2])
    return [*plans, chance.sample(list(entries), len(entries))]


async def test_a_session_whole_comes_to_its_facts_and_one_episode(app: MemoryApp) -> None:
    await hand_over(app, WHOLE)
    facts, [(_, told, _)] = await contents(app)
    assert facts == [f"Fact number {number}" for number in range(6)]
    assert told.count("close_period(") == 3


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("entries", [WHOLE, [*WHOLE, REWIND]], ids=["as it is", "with a rewind"])
async def test_in_parts_out_of_order_or_again_it_comes_to_the_same(
    app: MemoryApp, paid: Paid, database_url: str, entries: list[Entry], seed: int
) -> None:
    for part in plan(seed, entries):
        await hand_over(app, part)
    async with memory_app(models=Paid().models) as undisturbed:
        await hand_over(undisturbed, entries)
        assert await contents(app) == await contents(undisturbed)
    assert not {event: times for event, times in paid.facts.sent.items() if times > 1}


async def test_a_rewind_handed_over_last_leaves_what_it_did_not_undo(app: MemoryApp) -> None:
    await hand_over(app, WHOLE)
    await hand_over(app, [REWIND])
    facts, [(_, told, events)] = await contents(app)
    assert facts == LEFT
    assert told.count("close_period(") == 2
    assert {"c3", "r3", "u3"}.isdisjoint(events)


@pytest.mark.parametrize("seed", range(4))
async def test_graph_runs_with_parts_of_a_session_come_to_the_same(app: MemoryApp, paid: Paid, seed: int) -> None:
    """By whole invocations: a graph run has no inbox in which a call could wait for its response."""
    chance = random.Random(seed)  # noqa: S311 - a plan that can be repeated
    parts = [invocation(number) for number in range(6)]
    for first, last in [(0, 2), (1, 4), (3, 4), (4, 6), (0, 3)]:
        part = [entry for entries in parts[first:last] for entry in entries]
        chance.shuffle(part)
        await run_graph(app, part)
    async with memory_app(models=Paid().models) as undisturbed:
        await hand_over(undisturbed, WHOLE)
        assert await contents(app) == await contents(undisturbed)
    assert not {event: times for event, times in paid.facts.sent.items() if times > 1}


async def test_five_times_at_once_it_comes_to_the_same(app: MemoryApp, paid: Paid) -> None:
    await asyncio.gather(*(run_graph(app, WHOLE) for _ in range(5)))
    facts, episodes = await contents(app)
    assert facts == [f"Fact number {number}" for number in range(6)]
    assert len(episodes) == 1
    history = await app.database.memories.history(ANNA, limit=1000)
    assert Counter(entry.action for entry in history if entry.kind == "semantic")["ADD"] == 6
    assert Counter(entry.action for entry in history if entry.kind == "episodic")["ADD"] == 1


async def test_handed_over_again_it_costs_nothing_and_changes_nothing(app: MemoryApp, paid: Paid) -> None:
    await hand_over(app, [*WHOLE, REWIND])
    before = await contents(app), dict(paid.facts.sent), list(paid.narrator.told)
    history = await app.database.memories.history(ANNA, limit=1000)
    await run_graph(app, [*WHOLE, REWIND])
    assert (await contents(app), dict(paid.facts.sent), list(paid.narrator.told)) == before
    assert await app.database.memories.history(ANNA, limit=1000) == history


@pytest.mark.parametrize("more", [invocation(4) + invocation(5), [REWIND]], ids=["more turns", "a rewind"])
async def test_a_save_that_hangs_while_another_one_finishes_undoes_nothing(
    app: MemoryApp, paid: Paid, more: list[Entry]
) -> None:
    """As a worker does that was taken for dead. Its words of the episode are older than what is stored."""
    begun = [entry for number in range(4) for entry in invocation(number)]
    paid.narrator.go.clear()
    hanging = asyncio.create_task(hand_over(app, begun))
    await paid.narrator.hangs.wait()
    await hand_over(app, [*begun, *more])
    expected = await contents(app)
    paid.narrator.go.set()
    with pytest.raises(Conflict):
        await hanging
    assert await contents(app) == expected
    await app.save_session(ANNA, SESSION, 1)
    assert await contents(app) == expected


@pytest.mark.parametrize("erased", ["Fact number 2", None], ids=["a fact", "the session"])
async def test_a_rewind_to_what_was_erased_undoes_what_came_after_it(app: MemoryApp, erased: str | None) -> None:
    begun = [entry for number in range(4) for entry in invocation(number)]
    await hand_over(app, begun)
    if erased is None:
        await app.database.memories.erase_session(ANNA, SESSION)
    else:
        [key] = [fact.key for fact in await app.memories(ANNA, "semantic") if fact.text == erased]
        await app.database.memories.erase_memory(ANNA, key)
    since_now = [replace(entry, at=entry.at.replace(year=2200)) for entry in invocation(4)]
    await hand_over(app, [*begun, *since_now])
    rewind = replace(REWIND, at=since_now[-1].at.replace(hour=23))
    await hand_over(app, tuple(with_starts([*begun, *since_now, rewind])))
    facts, episodes = await contents(app)
    assert facts == ([] if erased is None else ["Fact number 0", "Fact number 1"])
    assert "period=3" not in repr(episodes)

"""What a save costs beside the two LangMem managers alone, in one run with a model that answers at once.

`python benchmarks/write.py`: a throw-away embedded server, real managers over HTTP, vectors that cost nothing. Each
session is taken in both ways, one after the other and in turns: by the managers alone, with the prompts, messages and
known facts that the graph would give them, and by the whole graph. Then the same through the queue, and how it grows.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from measures import person
from usage import session
from write_growth import WORKERS, Growth, growth
from write_managers import NAME, Asked, BareManagers
from write_model import instant_model
from write_parts import InstantEmbedder, Parts

from twofold.app import MemoryApp
from twofold.graphs.write import build_write
from twofold.memory.errors import ExtractionFailed
from twofold.memory.redaction import redact_entries
from twofold.memory.scope import Scope
from twofold.memory.transcript import Transcript
from twofold.models.open import Models, open_extractors
from twofold.nodes.plain import ENTRIES, plain
from twofold.store.embedded import start_embedded
from twofold.store.throwaway import throwaway_database
from twofold.store.worker import Worker
from twofold.testing import memory_app

USERS = (1, 5, 20, 50)
WARMING = 3
AT_ONCE = 8


@dataclass(slots=True)
class Took:
    """Milliseconds of each round, by the clock and of this process's CPU."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    async def of(self, action: Callable[[], Awaitable[object]]) -> None:
        """Time one more."""
        wall, cpu = time.perf_counter(), time.process_time()
        await action()
        self.wall.append((time.perf_counter() - wall) * 1000)
        self.cpu.append((time.process_time() - cpu) * 1000)

    def told(self) -> str:
        """Return medians and the 95th percentile."""
        p95 = sorted(self.wall)[int(len(self.wall) * 0.95)]
        return f"{statistics.median(self.wall):6.1f} ms (p95 {p95:.1f}), CPU {statistics.median(self.cpu):.1f} ms"


class Bench:
    """One app, its graph with timed parts, and the managers alone."""

    def __init__(self, app: MemoryApp, model_url: str) -> None:
        """Compile the graphs."""
        self.app = app
        self.parts = Parts()
        self.bare = BareManagers(model_url)
        self._timed = build_write(self.parts.around(app.write_ports)).compile(checkpointer=False)

    async def asked(self, scope: Scope, transcript: Transcript) -> Asked:
        """Return what a save of this session would ask the models; nothing is stored and no model asked."""
        asked = Asked()
        noting = build_write(replace(self.app.write_ports, facts=asked, narrator=asked)).compile(checkpointer=False)
        with suppress(ExtractionFailed):
            await noting.ainvoke(_input(scope, transcript))
        return asked

    async def save(self, scope: Scope, transcript: Transcript) -> None:
        """Save a session by the graph, without the queue."""
        await self.app.write.ainvoke(_input(scope, transcript))

    async def save_timed(self, scope: Scope, transcript: Transcript) -> None:
        """Save a session with its parts timed."""
        await self._timed.ainvoke(_input(scope, transcript))


async def compared(bench: Bench, rounds: int, *, known: int) -> tuple[Took, Took]:
    """Compare sessions of people of whom so many sessions are stored: the managers alone, and our save."""
    alone, ours = Took(), Took()
    for number in range(rounds + WARMING):
        scope = person(1000 * known + number)
        for before in range(known):
            await bench.save(scope, session(number, before)[-1])
        transcript = session(number, known)[-1]
        asked = await bench.asked(scope, transcript)
        both = [(alone, lambda a=asked: bench.bare.ask(a)), (ours, lambda s=scope, t=transcript: bench.save(s, t))]
        for took, action in both if number % 2 else reversed(both):
            await (took if number >= WARMING else Took()).of(action)
    return alone, ours


async def parted(bench: Bench, rounds: int) -> Mapping[str, float]:
    """Return the milliseconds of each part of a save, and of the whole."""
    for number in range(rounds):
        transcript = session(number, 0)[-1]
        with bench.parts.timed("whole"):
            await bench.save_timed(person(500_000 + number), transcript)
        with bench.parts.timed("redaction"):
            redact_entries(transcript.entries)
    return {name: seconds / rounds * 1000 for name, seconds in bench.parts.seconds.items()}


async def queued(bench: Bench, rounds: int) -> Mapping[str, float]:
    """Return the median milliseconds of a save through the queue: accept, until it is begun, the save, all of it."""
    moments: dict[str, list[float]] = {"accept": [], "queue": [], "save": [], "accept to stored": []}
    begun, stored = [0.0], asyncio.Event()

    async def save(scope: Scope, session_id: str, revision: int) -> None:
        begun[0] = time.perf_counter()
        await bench.app.save_session(scope, session_id, revision)
        stored.set()

    worker = Worker(bench.app.database.url, bench.app.database.inbox, save)
    working = asyncio.create_task(worker.run())
    for number in range(rounds + WARMING):
        stored.clear()
        at = time.perf_counter()
        await bench.app.accept(person(600_000 + number), session(number, 0)[-1], at_once=True)
        accepted = time.perf_counter()
        await stored.wait()
        ended = time.perf_counter()
        if number >= WARMING:
            times = (accepted - at, max(begun[0] - accepted, 0), ended - begun[0], ended - at)
            for name, seconds in zip(moments, times, strict=True):
                moments[name].append(seconds * 1000)
    worker.stop()
    await working
    return {name: statistics.median(times) for name, times in moments.items()}


async def a_second(action: Callable[[int], Awaitable[object]], many: int) -> tuple[float, float]:
    """Return how many are done a second, eight at once, and how many milliseconds of CPU each takes."""
    waiting, began, cpu = list(range(many)), time.perf_counter(), time.process_time()

    async def caller() -> None:
        while waiting:
            await action(waiting.pop())

    await asyncio.gather(*(caller() for _ in range(AT_ONCE)))
    return many / (time.perf_counter() - began), (time.process_time() - cpu) / many * 1000


def _input(scope: Scope, transcript: Transcript) -> Any:
    who = {"tenant_id": scope.tenant_id, "user_id": scope.user_id}
    return {"scope": who, "session_id": transcript.session_id, "entries": plain(ENTRIES, transcript.entries)}


def told(name: str, alone: Took, ours: Took) -> None:
    """Print one comparison."""
    wall = statistics.median(ours.wall) / statistics.median(alone.wall)
    cpu = statistics.median(ours.cpu) / statistics.median(alone.cpu)
    print(f"{name}\n  managers alone: {alone.told()}\n  whole save:     {ours.told()}")
    print(f"  ratio {wall:.2f}, of CPU {cpu:.2f}; target at most 2")


def told_growth(grown: Growth) -> None:
    """Print one line of the growth."""
    print(
        f"  {grown.users:3} users: {grown.a_second:5.1f} saves/s,"
        f" accept to stored {grown.median:.2f} s (p95 {grown.p95:.2f})"
    )


async def measured(server: str, model_url: str, rounds: int) -> None:
    """Measure and print all but the growth, in this process."""
    extractors = open_extractors(f"openai:{NAME}", base_url=model_url, api_key="none")
    models = Models(
        facts=extractors.facts, narrator=extractors.narrator, embedder=InstantEmbedder(), closing=extractors.closing
    )
    with throwaway_database(server) as url:
        async with memory_app(url, models=models, pool_size=20) as app:
            bench = Bench(app, model_url)
            told("A person's first session", *await compared(bench, rounds, known=0))
            told("A person's third session", *await compared(bench, rounds, known=2))
            parts = await parted(bench, rounds)
            print("Parts of a first save, which overlap:", ", ".join(f"{k} {v:.1f} ms" for k, v in parts.items()))
            moments = await queued(bench, rounds)
            print("Through the queue:", ", ".join(f"{name} {took:.1f} ms" for name, took in moments.items()))
            saved = await a_second(lambda n: bench.save(person(700_000 + n), session(n, 0)[-1]), rounds)
            asked = await bench.asked(person(800_000), session(0, 0)[-1])
            alone = await a_second(lambda _: bench.bare.ask(asked), rounds)
            print(f"{AT_ONCE} at once in one process: {saved[0]:.1f} saves/s; managers alone {alone[0]:.1f}/s")
            print(f"A core: {1000 / saved[1]:.1f} saves/s ({saved[1]:.1f} ms); managers alone {1000 / alone[1]:.1f}/s")
            await bench.bare.aclose()


async def main() -> None:
    """Measure and print."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--rounds", type=int, default=60)
    given.add_argument("--users", type=int, nargs="*", default=USERS)
    given.add_argument("--sessions", type=int, default=4, help="sessions of each user in the growth")
    chosen = given.parse_args()
    with instant_model() as model_url, TemporaryDirectory(prefix="twofold-bench-") as folder:
        server = start_embedded(Path(folder) / "data")
        print(f"{chosen.rounds} rounds, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
        await measured(server, model_url, chosen.rounds)
        print(f"Users at once, {chosen.sessions} sessions each, {WORKERS} worker processes:")
        with throwaway_database(server) as url:
            for place, users in enumerate(chosen.users):
                told_growth(await growth(url, model_url, users, chosen.sessions, first=10_000 * place))


if __name__ == "__main__":
    asyncio.run(main())

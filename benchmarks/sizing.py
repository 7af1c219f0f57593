"""How large a database and how many processes a number of users need: measured, then told as tables.

`python benchmarks/sizing.py` is a short run that prints; `--full` takes minutes and gives figures to rely on; `--write`
also keeps them in sizing.json and has docs/how-to/size.md tell them. Every save goes the whole way: accepted,
queued, taken by the worker, both graph branches, persisted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
from measures import Size, drained, logged, person, rate, sizes
from replicas import replicas
from sizing_tables import PLANNED, blocks, rewritten
from usage import SESSIONS, session

from twofold.app import MemoryApp
from twofold.models.offline import OfflineFactExtractor, OfflineNarrator
from twofold.models.open import Models, open_models
from twofold.store.embedded import start_embedded
from twofold.store.throwaway import throwaway_database
from twofold.testing import HashEmbedder, memory_app

FIGURES = Path(__file__).with_name("sizing.json")
GUIDE = Path(__file__).parents[1] / "docs" / "how-to" / "size.md"
DIMS = (384, 1536)
_SERVER = "SELECT current_setting('server_version'), extversion FROM pg_extension WHERE extname = 'vector'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How much is measured: so many people for a month of so many sessions, and so many calls for each rate."""

    people: int
    sessions: int
    calls: int


SHORT = Run(people=2, sessions=4, calls=24)
FULL = Run(people=20, sessions=SESSIONS, calls=400)


def instant(dims: int) -> Models:
    """Return models that cost next to nothing: rules, and vectors of hashed words."""
    return Models(facts=OfflineFactExtractor(), narrator=OfflineNarrator(), embedder=HashEmbedder(dims))


def local() -> Models:
    """Return the models that come without an account: rules, and MiniLM on this machine's cores."""
    return open_models(chat="offline", embedding="minilm")


async def month(server: str, models: Models, run: Run) -> dict[str, Any]:
    """Let people work for a month and return what is stored of one of them, and how fast it is recalled."""
    with throwaway_database(server) as url:
        async with memory_app(url, models=models) as app:
            empty, log = await sizes(url), await logged(url)
            async with app.working():
                saves = await _worked(app, run)
            log = await logged(url) - log
            full = await sizes(url)
            share = SESSIONS / run.sessions / run.people
            return {
                "tables": {name: asdict(_grown(empty[name], size, share)) for name, size in sorted(full.items())},
                "log": log / saves,
            }


async def _worked(app: MemoryApp, run: Run) -> int:
    """Hand over each session after each of its requests, everybody's at once; return how many saves that made."""
    saves = 0
    for number in range(run.sessions):
        handed = [session(who, number) for who in range(run.people)]
        for turn in range(max(map(len, handed))):
            due = [(who, states[turn]) for who, states in enumerate(handed) if turn < len(states)]
            saves += len(due)
            await asyncio.gather(*(app.accept(person(who), state, at_once=True) for who, state in due))
            await drained(app)
    return saves


def _grown(empty: Size, full: Size, share: float) -> Size:
    """Return what one person's month has added to a table."""
    before, after = asdict(empty), asdict(full)
    return Size(**{name: max(0.0, after[name] - before[name]) * share for name in after})


async def rates(server: str, models: Models, run: Run) -> dict[str, Any]:
    """Return how fast accepts are without a worker beside, then saves of one worker, then recalls."""
    with throwaway_database(server) as url:
        async with memory_app(url, models=models) as app:
            handed = [(person(n), session(n, 4 * n)[-1]) for n in range(run.calls)]
            log = await logged(url)
            accepts = await rate(partial(app.accept, who, state, at_once=True) for who, state in handed)
            log = await logged(url) - log
            async with app.working():
                saves = await drained(app)
            recalls = await rate(partial(app.recall, who, f"Which account and ledger, {who}?") for who, _ in handed)
            named = {"accept": accepts, "save": saves, "recall": recalls}
            return {"accept_log": log / run.calls, **{name: asdict(each) for name, each in named.items()}}


async def measured(server: str, run: Run) -> dict[str, Any]:
    """Return all figures."""
    return {
        "machine": _machine(server),
        "requests": sum(len(session(0, number)) for number in range(SESSIONS)) / SESSIONS,
        "month": {str(dims): await month(server, instant(dims), run) for dims in DIMS},
        "rates": {
            "models that cost nothing, 384 numbers": await rates(server, instant(384), run),
            PLANNED: await rates(server, instant(1536), run),
            "rules and MiniLM on the same cores, 384 numbers": await rates(server, local(), run),
        },
        "connections": await replicas(server, 100) if run is FULL else {},
    }


def _machine(server: str) -> str:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        postgres, vector = connection.execute(_SERVER).fetchone() or ("?", "?")
    python = ".".join(platform.python_version_tuple()[:2])
    versions = f"PostgreSQL {postgres.split()[0]}, pgvector {vector}, Python {python}"
    return f"two shared cores, {versions}; load average {os.getloadavg()[1]:.0f}, other work included"


def kept(figures: Mapping[str, Any]) -> None:
    """Keep the figures and rewrite the guide's tables from them."""
    FIGURES.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    GUIDE.write_text(rewritten(GUIDE.read_text(encoding="utf-8"), figures), encoding="utf-8")


def check() -> None:
    """Raise SystemExit unless the guide's tables are those of the figures that are kept."""
    text = GUIDE.read_text(encoding="utf-8")
    if rewritten(text, json.loads(FIGURES.read_text(encoding="utf-8"))) != text:
        raise SystemExit("docs/how-to/size.md is not what benchmarks/sizing.json says: run benchmarks/sizing.py")


def _given() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--full", action="store_true", help="measure for minutes, not seconds, and connections too")
    parser.add_argument("--write", action="store_true", help="measure in full and rewrite docs/how-to/size.md")
    parser.add_argument("--check", action="store_true", help="only say whether docs/how-to/size.md is up to date")
    parser.add_argument("--calls", type=int, default=SHORT.calls, help="how many calls a short run makes")
    parser.add_argument("--server", help="a PostgreSQL server to make throw-away databases on")
    return parser.parse_args()


def main() -> None:
    """Measure on a throw-away server, or on the one given, and print or write the tables."""
    given = _given()
    if given.check:
        check()
        return
    run = FULL if given.full or given.write else replace(SHORT, calls=given.calls)
    with TemporaryDirectory(prefix="twofold-bench-") as folder:
        server = given.server or start_embedded(Path(folder) / "data")
        figures = asyncio.run(measured(server, run))
    if given.write:
        kept(figures)
    if run is not FULL:
        print("A short run: sizes hold much of what an empty table takes already, and rates are rough.")
    for name, block in blocks(figures).items():
        print(f"\n{name}\n\n{block}")


if __name__ == "__main__":
    main()

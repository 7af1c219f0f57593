"""The nursery: imports everything once, then makes a process for each line it is sent: `python -m tests.soak.child`."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any

from tests.soak.link import Link
from tests.soak.phases import Point
from tests.soak.points import Points
from tests.soak.sessions import of_json
from twofold.app import MemoryApp
from twofold.memory.errors import TwofoldError
from twofold.memory.memories import FactChange, Memory, Vector
from twofold.memory.ports import Embedder, FactExtractor, Narrator
from twofold.memory.steps import Episode, EpisodeWords, Turn
from twofold.models.open import Models, open_extractors
from twofold.settings import load_settings
from twofold.testing import HashEmbedder

CONCURRENCY = 4


class _Facts:
    def __init__(self, facts: FactExtractor, points: Points) -> None:
        self._facts, self._points, self.name = facts, points, facts.name

    async def extract(self, turns: Sequence[Turn], known: Sequence[Memory]) -> Sequence[FactChange]:
        await self._points.at(Point.FACTS_BEFORE)
        changes = await self._facts.extract(turns, known)
        await self._points.at(Point.FACTS_REPLIED)
        return changes


class _Narrator:
    def __init__(self, narrator: Narrator, points: Points) -> None:
        self._narrator, self._points, self.name = narrator, points, narrator.name

    async def tell(self, episode: Episode) -> EpisodeWords:
        await self._points.at(Point.EPISODE_BEFORE)
        words = await self._narrator.tell(episode)
        await self._points.at(Point.EPISODE_REPLIED)
        return words


class _Embedder:
    def __init__(self, embedder: Embedder, points: Points) -> None:
        self._embedder, self._points, self.name, self.dims = embedder, points, embedder.name, embedder.dims

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        await self._points.embedding()
        return await self._embedder.embed(texts)


def _models(base_url: str, points: Points) -> Models:
    """Both LangMem managers, over HTTP; words for vectors."""
    real = open_extractors("openai:gpt-5-mini", base_url=base_url, api_key="none")
    return Models(
        facts=_Facts(real.facts, points),
        narrator=_Narrator(real.narrator, points),
        embedder=_Embedder(HashEmbedder(), points),
        closing=real.closing,
    )


async def _live(task: dict[str, Any]) -> None:
    """Accept what is handed over, and save it where it is a worker, until the harness lets go or kills."""
    link = Link(*await asyncio.open_unix_connection(task["socket"]))
    await link.say(event="born", number=task["number"], pid=os.getpid())
    points = Points(link, task["arm"])
    points.install()
    opened: asyncio.Future[MemoryApp] = asyncio.get_running_loop().create_future()
    obeying = asyncio.create_task(_obey(opened, link, points))
    settings = load_settings(database_url=task["database_url"])
    try:
        async with MemoryApp.open(settings, models=_models(task["base_url"], points)) as app, AsyncExitStack() as work:
            if task["works"]:
                await work.enter_async_context(app.working(concurrency=CONCURRENCY))
            await link.say(event="ready")
            opened.set_result(app)
            await obeying
    except TwofoldError as error:
        await link.say(event="ended", error=str(error))


async def _obey(opened: asyncio.Future[MemoryApp], link: Link, points: Points) -> None:
    accepting: set[asyncio.Task[None]] = set()
    async for order in link.heard():
        if order["do"] == "arm":
            points.arm(order["point"], order["session"])
        elif order["do"] == "go":
            points.go()
        else:
            accepting.add(asyncio.create_task(_accept(await opened, link, order)))


async def _accept(app: MemoryApp, link: Link, order: dict[str, Any]) -> None:
    scope, transcript = of_json(order)
    try:
        revision = await app.accept(scope, transcript, at_once=True)
    except TwofoldError as error:
        await link.say(event="refused", session=transcript.session_id, error=str(error))
    else:
        await link.say(event="accepted", session=transcript.session_id, revision=revision)


def main() -> None:
    """Fork for each line; the kernel takes care of the dead."""
    open_extractors("openai:gpt-5-mini", base_url="http://127.0.0.1", api_key="none")  # imports LangMem
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            try:
                asyncio.run(_live(json.loads(line)))
            except BaseException:
                traceback.print_exc()
                raise
            finally:
                sys.stderr.flush()
                os._exit(0)


if __name__ == "__main__":
    main()

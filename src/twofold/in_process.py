"""The memory of this process: opened by the first call, on two threads of its own, closed at exit."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, TypeVar

from twofold.app import MemoryApp
from twofold.app_thread import AppThread
from twofold.chosen import release_database
from twofold.health import Backlog, Health
from twofold.memory.errors import InvalidInput, NotAccepted, TwofoldError
from twofold.memory.memories import Recall
from twofold.memory.redaction import Redactor
from twofold.memory.scope import Scope
from twofold.memory.transcript import Transcript
from twofold.memory.verbatim import VerbatimText
from twofold.models.open import Models
from twofold.settings import Settings

logger = logging.getLogger(__name__)

T = TypeVar("T")

OPEN_SECONDS = 10.0
CLOSE_SECONDS = 5.0
STORED_SECONDS = 300.0
MOST_UNFINISHED = 10_000

_open_memories: set[InProcessMemory] = set()
_ending = threading.Lock()


class InProcessMemory:
    """Accepts sessions, works on them and recalls, on event loops that no caller can block or close.

    One loop serves recall and accept, the other the saves: on one loop, ten saves slow a recall tenfold.
    """

    def __init__(self, settings: Settings, *, models: Models | None = None) -> None:
        """Take the settings; the first call opens the database and starts the threads."""
        self.health = Health(database=settings.database_shown)
        self._settings = settings
        self._models = models
        self._starting = threading.Lock()
        self._recall: AppThread | None = None
        self._jobs: AppThread | None = None
        self._unfinished: dict[tuple[Scope, str], int] = {}

    @property
    def redactor(self) -> Redactor:
        """What takes secrets out of what is handed over, as the settings say."""
        return self._settings.redactor

    def patience(self) -> float:
        """Return the seconds a search may take: the deadline, and ten while the memory is being opened."""
        deadline = self._settings.recall_deadline
        return deadline if self.health.opened else max(deadline, OPEN_SECONDS)

    async def accept(
        self, scope: Scope, transcript: Transcript, *, wait: bool = False, within: float | None = None
    ) -> None:
        """Accept a session durably; with `wait`, return when it is stored.

        Raises NotAccepted when it could not be accepted, or an open memory did not do it `within` so many
        seconds, and InvalidInput when it never can be. A session that is not stored after five minutes of
        `wait` stays accepted, which is logged.
        """
        limit = within if self.health.opened else None  # an opening memory is waited for: it has a limit of its own
        try:
            async with asyncio.timeout(limit):
                revision = await self._call(lambda app: app.accept(scope, transcript, at_once=wait))
        except InvalidInput:
            raise
        except (TwofoldError, TimeoutError) as error:
            self.health.not_accepted(error)
            raise NotAccepted(
                f"Session {transcript.session_id!r} was not accepted ({str(error) or 'it took too long'});"
                " hand the whole session over again"
            ) from error
        self._note(scope, transcript.session_id, revision)
        if wait and not await self._call(
            lambda app: app.stored(scope, transcript.session_id, revision, STORED_SECONDS)
        ):
            logger.warning("Session %s is accepted but not stored yet", transcript.session_id)

    def recall(self, scope: Scope, query: str, except_session: str | None = None) -> Future[Recall]:
        """Start a search; its future raises what went wrong."""
        return self._started().submit(lambda app: app.recall(scope, query, except_session))

    async def add(self, scope: Scope, texts: Sequence[VerbatimText]) -> None:
        """Store facts in the host's own words, after redaction."""
        await self._call(lambda app: app.add(scope, texts))

    async def erase_memory(self, scope: Scope, key: str) -> None:
        """Erase one memory with its traces."""
        await self._call(lambda app: app.database.memories.erase_memory(scope, key))

    async def erase_session(self, scope: Scope, session_id: str) -> None:
        """Erase what rests on one session, with its traces. Raises InvalidInput for an empty id."""
        if not session_id:  # as on a server: that of what came without a session, and no session
            raise InvalidInput("session_id: is empty")
        await self._call(lambda app: app.database.memories.erase_session(scope, session_id))

    async def erase_user(self, scope: Scope) -> None:
        """Erase all memory of one person, with its traces."""
        await self._call(lambda app: app.database.memories.erase_user(scope))

    async def flush(self, *, timeout: float) -> int:
        """Have the sessions accepted here worked on now; return how many are not done after `timeout` seconds."""
        if not self._unfinished:
            return 0
        return await self._call(lambda app: self._finish(app, timeout))

    async def backlog(self) -> Backlog:
        """Look at what waits in the database and what was given up; `health` tells it from then on."""
        return await self._call(lambda app: app.watch.look())

    async def retry(self) -> int:
        """Have what waits and what was given up worked on anew; return how many sessions that are."""
        return await self._call(lambda app: app.database.backlog.try_anew())

    def close(self) -> None:
        """Finish what was accepted here, for at most five seconds, and release everything."""
        with self._starting:
            recall, self._recall = self._recall, None
        _open_memories.discard(self)
        if recall is None:
            return
        self._finish_before_closing(recall)
        recall.close()  # first, because the thread of the jobs starts while this one opens
        jobs, self._jobs = self._jobs, None
        if jobs is not None:
            jobs.close()
        self.health.opened = False

    def release(self) -> None:
        """Let go of the embedded server, if it is one and this process started it."""
        release_database(self._settings)

    def _finish_before_closing(self, recall: AppThread) -> None:
        if not self._unfinished:
            return
        try:
            left = recall.submit(lambda app: self._finish(app, CLOSE_SECONDS)).result(2 * CLOSE_SECONDS)
        except (TwofoldError, FutureTimeout) as error:
            logger.warning("Closing memory: %r", error)
            left = len(self._unfinished)
        if left:
            logger.warning(
                "%d accepted session(s) are not stored: the next start goes on with what waits, `retry` with what was"
                " given up",
                left,
            )

    async def _call(self, action: Callable[[MemoryApp], Coroutine[Any, Any, T]]) -> T:
        return await self._started().call(action)

    def _started(self) -> AppThread:
        with self._starting:
            if self._recall is None or not self._recall.alive:  # threads do not survive a fork
                self._recall = AppThread("twofold-recall", self._open)
                _open_memories.add(self)
            return self._recall

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[MemoryApp]:
        async with AsyncExitStack() as stack:
            app = await stack.enter_async_context(
                MemoryApp.open(self._settings, models=self._models, health=self.health)
            )
            self.health.extractor, self.health.embedder = app.models.facts.name, app.models.embedder.name
            self.health.opened = True
            logger.info(
                "Memory is open: %s, extractor %s, embedder %s",
                self.health.database,
                app.models.facts.name,
                app.models.embedder.name,
            )
            if self._settings.worker:
                self._jobs = AppThread("twofold-jobs", self._work)
                self._jobs.open_soon()
            else:
                await stack.enter_async_context(app.watch.going_on())
            yield app

    @asynccontextmanager
    async def _work(self) -> AsyncIterator[MemoryApp]:
        opening = MemoryApp.open(self._settings, models=self._models, health=self.health)
        async with opening as app, app.working():
            yield app

    def _note(self, scope: Scope, session_id: str, revision: int) -> None:
        if len(self._unfinished) >= MOST_UNFINISHED:
            self._unfinished.pop(next(iter(self._unfinished)), None)
        self._unfinished[scope, session_id] = revision

    async def _finish(self, app: MemoryApp, timeout: float) -> int:
        """Hurry what was accepted here and wait for it."""
        deadline = asyncio.get_running_loop().time() + timeout
        waiting = list(self._unfinished.items())
        for (scope, session_id), _ in waiting:
            if asyncio.get_running_loop().time() < deadline:
                await app.hurry(scope, session_id)
        for accepted, revision in waiting:
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                break
            if await app.stored(*accepted, revision, left) and self._unfinished.get(accepted) == revision:
                del self._unfinished[accepted]
        return len(self._unfinished)


def end_memories() -> None:
    """Close all memories of this process and let go of embedded servers, for a process that comes to no exit.

    What is used afterwards opens again. Blocks, for five seconds and more where saves do not end.
    """
    with _ending:
        memories = list(_open_memories)
        for memory in memories:
            memory.close()
        for memory in memories:
            memory.release()


def _close_all() -> None:
    for memory in list(_open_memories):
        memory.close()


# Runs before `concurrent.futures` refuses new work, which `atexit` does not: by then a name look-up for a
# model's server, which needs an executor, fails and the saves under way with it.
threading._register_atexit(_close_all)  # type: ignore[attr-defined]  # noqa: SLF001 - no public way

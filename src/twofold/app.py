"""The composition root: settings → database → models → graphs → worker, all on one event loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from twofold.chosen import chosen_models
from twofold.clock import SystemClock
from twofold.graphs.read import ReadGraph, build_read
from twofold.graphs.write import WriteGraph, build_write
from twofold.memory.memories import Memory, Recall
from twofold.memory.ports import Clock, ReadPorts, WritePorts
from twofold.memory.redaction import redact_text
from twofold.memory.scope import Kind, Scope
from twofold.memory.transcript import Transcript
from twofold.memory.verbatim import VerbatimText
from twofold.models.open import Models
from twofold.nodes.plain import ENTRIES, MEMORIES, ScopeState, plain
from twofold.settings import Settings
from twofold.store.database import Database, open_database
from twofold.store.embedded import start_embedded
from twofold.store.migrate import migrate, recorded_embedder
from twofold.store.worker import Worker
from twofold.sweep import sweeping
from twofold.touches import Touches

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryApp:
    """The memory, opened on one event loop. Every call belongs on that loop."""

    settings: Settings
    models: Models
    database: Database
    write_ports: WritePorts
    read_ports: ReadPorts
    write: WriteGraph
    read: ReadGraph

    @staticmethod
    @asynccontextmanager
    async def open(
        settings: Settings, *, models: Models | None = None, clock: Clock | None = None
    ) -> AsyncIterator[MemoryApp]:
        """Open the database, preparing it if need be, and compile both graphs; closes everything at the end.

        The first start of the embedded server takes some seconds. `models` win over the settings.
        Raises SettingsInvalid, StoreUnavailable, StoreUnsuitable, EmbedderMismatch.
        """
        url = await asyncio.to_thread(_url, settings)
        recorded = await recorded_embedder(url)
        # On a thread: it may import LangMem, which takes seconds.
        opened = await asyncio.to_thread(chosen_models, settings, recorded) if models is None else models
        await migrate(url, dims=opened.embedder.dims, embedder=opened.embedder.name)
        async with open_database(
            url,
            dims=opened.embedder.dims,
            ttl_days=settings.ttl_days,
            clock=clock or SystemClock(),
            pool_size=settings.pool_size,
        ) as database:
            touches = Touches(database.memories.touch)
            try:
                yield _app(settings, opened, database, touches)
            finally:
                await touches.finish()
                await opened.aclose()

    async def accept(self, scope: Scope, transcript: Transcript, *, at_once: bool = False) -> int:
        """Accept a session durably and return its revision; its save is due when it has settled, or at once.

        Whoever made the transcript has redacted it: this is where it reaches the disk.
        Raises InvalidInput, StoreUnavailable.
        """
        settle = 0.0 if at_once else self.settings.settle_seconds
        accepted = await self.database.inbox.accept(scope, transcript.session_id, transcript.entries, settle)
        return accepted.revision

    async def stored(self, scope: Scope, session_id: str, revision: int, timeout: float) -> bool:
        """Wait until a revision is stored; False after `timeout` seconds, or when it was given up."""
        return await self.database.backlog.wait_done(scope, session_id, revision, timeout)

    async def hurry(self, scope: Scope, session_id: str) -> None:
        """Have a session worked on now, if it is not stored yet."""
        await self.database.backlog.hurry(scope, session_id)

    async def recall(self, scope: Scope, query: str, except_session: str | None = None) -> Recall:
        """Return what is remembered for a query, newest first. Raises what the read graph raises."""
        output = await self.read.ainvoke({"scope": _state(scope), "query": query, "except_session": except_session})
        recall = output["recall"]
        return Recall(
            facts=MEMORIES.validate_python(recall["facts"]), episodes=MEMORIES.validate_python(recall["episodes"])
        )

    async def add(self, scope: Scope, texts: Sequence[VerbatimText]) -> None:
        """Store facts in the host's own words, after redaction; no model reads them."""
        redacted = [replace(text, text=redact_text(text.text)) for text in texts]
        words = sorted({text.text for text in redacted})
        if words:
            vectors = dict(zip(words, await self.models.embedder.embed(words), strict=True))
            await self.database.memories.add_verbatim(scope, redacted, vectors)

    async def memories(self, scope: Scope, kind: Kind, *, limit: int = 100) -> Sequence[Memory]:
        """Return what is stored of one kind, newest first; looking at it does not prolong its life."""
        return await self.database.memories.list_memories(scope, kind, limit=limit)

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """Work on accepted sessions, and delete what has expired, while the context lasts."""
        worker = Worker(self.database.url, self.database.inbox, self.save_session)
        tasks = [
            asyncio.create_task(worker.run(), name="twofold-work"),
            asyncio.create_task(sweeping(self.database.memories.sweep), name="twofold-sweep"),
        ]
        try:
            yield
        finally:
            worker.stop()
            tasks[1].cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def save_session(self, scope: Scope, session_id: str, revision: int) -> None:
        """Run the write graph over an accepted session as it is now: what a job does.

        Does nothing when `revision` is done. Raises what the graph raises.
        """
        loaded = await self.database.inbox.load(scope, session_id)
        if loaded is None or loaded.done_revision >= revision:
            return
        entries = plain(ENTRIES, loaded.transcript.entries)
        output = await self.write.ainvoke({"scope": _state(scope), "session_id": session_id, "entries": entries})
        await self.database.inbox.mark_done(scope, session_id, loaded.revision, output.get("skipped", ""))


def _app(settings: Settings, models: Models, database: Database, touches: Touches) -> MemoryApp:
    write_ports = WritePorts(
        facts=models.facts,
        narrator=models.narrator,
        embedder=models.embedder,
        memories=database.memories,
        kept=database.kept,
        min_messages=settings.min_messages,
    )
    read_ports = ReadPorts(
        embedder=models.embedder,
        memories=database.memories,
        recalled=touches.soon,
        relevance_floor=settings.relevance_floor,
    )
    return MemoryApp(
        settings=settings,
        models=models,
        database=database,
        write_ports=write_ports,
        read_ports=read_ports,
        write=build_write(write_ports).compile(),
        read=build_read(read_ports).compile(),
    )


def _state(scope: Scope) -> ScopeState:
    return {"tenant_id": scope.tenant_id, "user_id": scope.user_id}


def _url(settings: Settings) -> str:
    """Return the database's URL; starts the embedded server where none is set."""
    if settings.database_url is not None:
        return settings.database_url.get_secret_value()
    folder = settings.data_folder / "postgres"
    if not folder.exists():
        logger.warning("First start: making the embedded PostgreSQL in %s, which takes some seconds", folder)
    return start_embedded(folder)

"""The composition root: settings → database → models → graphs → worker, all on one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from twofold import telemetry
from twofold.backlog_watch import BacklogWatch
from twofold.chosen import chosen_models, database_url, reviving
from twofold.clock import SystemClock
from twofold.graphs.read import ReadGraph, build_read
from twofold.graphs.write import WriteGraph, build_write
from twofold.health import Health
from twofold.memory.clean import clean_text
from twofold.memory.errors import InvalidInput
from twofold.memory.memories import Applied, Memory, Origin, Recall
from twofold.memory.ports import Clock, ReadPorts, WritePorts
from twofold.memory.redacted_extraction import redacting_ports
from twofold.memory.redaction import Redactor
from twofold.memory.scope import Kind, Scope
from twofold.memory.transcript import Transcript
from twofold.memory.verbatim import VerbatimText, redacted_texts
from twofold.models.open import Models
from twofold.nodes.plain import ENTRIES, MEMORIES, ScopeState, plain
from twofold.settings import Settings
from twofold.store.database import Database, open_database
from twofold.store.erased import Erased
from twofold.store.migrate import migrate, recorded_embedder
from twofold.store.worker import CONCURRENCY, GRACE_SECONDS, Worker
from twofold.sweep import ended, sweeping
from twofold.touches import Touches
from twofold.wire import ExportedChange, ExportedMemory, ExportedSession, line_of


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryApp:
    """The memory, opened on one event loop. Every call belongs on that loop."""

    settings: Settings
    models: Models
    database: Database
    watch: BacklogWatch
    write_ports: WritePorts
    read_ports: ReadPorts
    write: WriteGraph
    read: ReadGraph

    @property
    def redactor(self) -> Redactor:
        """What takes secrets out of all that is accepted, added and asked."""
        return self.settings.redactor

    @staticmethod
    @asynccontextmanager
    async def open(
        settings: Settings, *, models: Models | None = None, clock: Clock | None = None, health: Health | None = None
    ) -> AsyncIterator[MemoryApp]:
        """Open the database, preparing it if need be, and compile both graphs; closes everything at the end.

        The first start of the embedded server takes some seconds. `models` win over the settings. `health` is told
        how it is doing.
        Raises SettingsInvalid, StoreUnavailable, StoreUnsuitable, EmbedderMismatch.
        """
        url = await asyncio.to_thread(database_url, settings)
        recorded = await recorded_embedder(url)
        # On a thread: it may import LangMem, which takes seconds.
        opened = await asyncio.to_thread(chosen_models, settings, recorded) if models is None else models
        await migrate(url, dims=opened.embedder.dims, embedder=opened.embedder.name)
        told, clock = health or Health(database=settings.database_shown), clock or SystemClock()
        async with open_database(
            url,
            dims=opened.embedder.dims,
            ttl_days=settings.ttl_days,
            clock=clock,
            pool_size=settings.pool_size,
        ) as database:
            touches = Touches(database.memories.touch)
            revival = asyncio.create_task(reviving(settings), name="twofold-revival")
            try:
                watch = BacklogWatch(database.backlog, told, clock=clock, settle_seconds=settings.settle_seconds)
                yield _app(settings, opened, database, touches, watch)
            finally:
                await ended(revival)
                await touches.finish()
                await opened.aclose()

    async def accept(self, scope: Scope, transcript: Transcript, *, at_once: bool = False) -> int:
        """Accept a session durably and return its revision; its save is due when it has settled, or at once.

        Whoever made the transcript has redacted it: this is where it reaches the disk.
        Raises InvalidInput, StoreUnavailable.
        """
        settle = 0.0 if at_once else self.settings.settle_seconds
        with telemetry.accepting(len(transcript.entries)) as outcome:
            accepted = await self.database.inbox.accept(scope, transcript.session_id, transcript.entries, settle)
            outcome("accepted" if accepted.changed else "unchanged")
        self.watch.soon()
        if at_once and accepted.revision and not accepted.changed:  # it is queued already, to settle first
            await self.hurry(scope, transcript.session_id)
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

    async def add(self, scope: Scope, texts: Sequence[VerbatimText], *, origin: Origin = "host") -> Sequence[Applied]:
        """Store facts in the words of the host, or of an import, after redaction; no model reads them.

        Returns what each came to. What was erased up to its time is left out, and so is a text of which redaction
        leaves no word, as where a policy drops what it was. Raises InvalidInput for a text that is blank as it was
        given, ModelFailed, StoreUnavailable.
        """
        redacted = await asyncio.to_thread(redacted_texts, texts, self.redactor)
        words = sorted({text.text for text in redacted})
        if not words:
            return ()
        vectors = dict(zip(words, await self.models.embedder.embed(words), strict=True))
        return await self.database.memories.add_verbatim(scope, redacted, vectors, origin=origin)

    async def correct(self, scope: Scope, key: str, text: str, *, rev: int | None = None) -> Memory:
        """Give a fact the words of its person, after redaction; `rev` is the one that was read and corrected.

        It is an update like any other: it has its line in the history, and a later session may change it again.
        Words of another fact extend that one, which is returned, and this one is deleted.
        Raises NotFound, InvalidInput for an episode and for a blank text, Conflict if `rev` is not the fact's,
        ModelFailed, StoreUnavailable.
        """
        worded = (await asyncio.to_thread(self.redactor.text, clean_text(text))).strip()
        if not worded:
            raise InvalidInput("text: is blank; to forget a fact, erase it")
        memories = self.database.memories
        await memories.correctable(scope, key, rev=rev)  # before a model is asked
        (vector,) = await self.models.embedder.embed([worded])
        return await memories.correct(scope, key, worded, vector, rev=rev)

    async def erase_tenant(self, tenant_id: str) -> Erased:
        """Erase everything of everybody in a tenant, also of whoever is not known yet; done again, it goes on."""
        return await self.database.memories.erase_tenant(tenant_id)

    async def export(self, scope: Scope) -> AsyncGenerator[dict[str, Any], None]:
        """Yield everything that is kept of a person, as `wire.ExportedMemory`, `…Change` and `…Session`.

        It is read in batches while it is asked for, and never all in memory. Raises StoreUnavailable.
        """
        kept = self.database.memories.everything(scope)
        async with aclosing(kept.memories()) as memories:
            async for memory in memories:
                yield line_of(ExportedMemory.of(memory))
        async with aclosing(kept.changes()) as changes:
            async for change in changes:
                yield line_of(ExportedChange.of(change))
        async with aclosing(kept.sessions()) as sessions:
            async for part in sessions:
                yield line_of(ExportedSession.of(part))

    async def memories(self, scope: Scope, kind: Kind, *, limit: int = 100) -> Sequence[Memory]:
        """Return what is stored of one kind, newest first; looking at it does not prolong its life."""
        return await self.database.memories.list_memories(scope, kind, limit=limit)

    @asynccontextmanager
    async def working(self, *, concurrency: int = CONCURRENCY, grace: float = GRACE_SECONDS) -> AsyncIterator[None]:
        """Work on accepted sessions, so many at once, and delete what has expired, while the context lasts.

        At its end saves that run have `grace` seconds; what is not done by then is given back.
        """
        worker = Worker(self.database.url, self.database.inbox, self.save_session, concurrency=concurrency, grace=grace)
        work = asyncio.create_task(worker.run(), name="twofold-work")
        sweep = asyncio.create_task(sweeping(self.database.memories.sweep), name="twofold-sweep")
        try:
            async with self.watch.going_on():
                yield
        finally:
            worker.stop()
            await ended(sweep)
            await asyncio.gather(work, return_exceptions=True)

    async def save_session(self, scope: Scope, session_id: str, revision: int) -> None:
        """Run the write graph over an accepted session as it is now: what a job does.

        Does nothing when `revision` is done. Raises what the graph raises.
        """
        loaded = await self.database.inbox.load(scope, session_id)
        if loaded is None or loaded.done_revision >= revision:
            return
        entries = plain(ENTRIES, loaded.transcript.entries)
        try:
            output = await self.write.ainvoke({"scope": _state(scope), "session_id": session_id, "entries": entries})
        finally:
            self.watch.soon()
        await self.database.inbox.mark_done(
            scope, session_id, loaded.revision, output.get("skipped", ""), last_erase=loaded.last_erase
        )


def _app(settings: Settings, models: Models, database: Database, touches: Touches, watch: BacklogWatch) -> MemoryApp:
    ports = WritePorts(
        facts=models.facts,
        narrator=models.narrator,
        embedder=models.embedder,
        memories=database.memories,
        kept=database.kept,
        min_messages=settings.min_messages,
        redactor=settings.redactor,
    )
    write_ports = redacting_ports(ports)
    read_ports = ReadPorts(
        embedder=models.embedder,
        memories=database.memories,
        recalled=touches.soon,
        relevance_floor=settings.relevance_floor,
        redactor=settings.redactor,
    )
    return MemoryApp(
        settings=settings,
        models=models,
        database=database,
        watch=watch,
        write_ports=write_ports,
        read_ports=read_ports,
        # Not with the checkpointer of a host's graph that invokes them: it would keep what is not redacted yet, and a
        # save that failed would go on from its last node, with the failures found before it.
        write=build_write(write_ports).compile(checkpointer=False),
        read=build_read(read_ports).compile(checkpointer=False),
    )


def _state(scope: Scope) -> ScopeState:
    return {"tenant_id": scope.tenant_id, "user_id": scope.user_id}

"""The memories of all scopes on Postgres: the port `Memories`, and what people and hosts do with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from twofold.memory.history import AuditEntry
from twofold.memory.keys import fingerprint
from twofold.memory.memories import (
    Applied,
    Change,
    Memory,
    Origin,
    Page,
    Position,
    Progress,
    Retraction,
    Save,
    Source,
    Vector,
)
from twofold.memory.ports import Clock
from twofold.memory.rewinds import Undone
from twofold.memory.scope import Kind, Scope
from twofold.memory.times import checked_time
from twofold.memory.verbatim import VerbatimText
from twofold.store import audit, recall
from twofold.store.correct import correctable, correction, kept_of
from twofold.store.erasing import Erasing
from twofold.store.everything import Everything
from twofold.store.page import Listed, page
from twofold.store.persist import persist
from twofold.store.pool import Connection, Pool, borrowed, transaction
from twofold.store.progress import progress
from twofold.store.queue import Queue
from twofold.store.retractions import retractions
from twofold.store.scopes import lock_scope
from twofold.store.storable import is_storable
from twofold.store.ttl import Expiry


class PostgresMemories(Erasing):
    """Reads, writes and erases memories; every call is bound to exactly one scope."""

    def __init__(self, pool: Pool, *, dims: int, ttl_days: int | None, clock: Clock, queue: Queue) -> None:
        """Use the pool on its event loop. Vectors have `dims` numbers; `ttl_days` None = nothing expires."""
        super().__init__(pool, clock=clock, queue=queue)
        self._dims = dims
        self._ttl_days = ttl_days
        self._expiry = Expiry(pool, ttl_days=ttl_days, clock=clock)

    async def search(
        self,
        scope: Scope,
        kind: Kind,
        *,
        query: str,
        vector: Vector,
        limit: int,
        except_session: str | None = None,
    ) -> tuple[Memory, ...]:
        """Return at most `limit` unexpired memories, the most similar first, exact identifiers included.

        Memories whose only sources are `except_session` are left out.
        """
        sought = recall.Sought(query=query, vector=vector, limit=limit, except_session=except_session)
        async with borrowed(self._pool) as connection:
            return await recall.search(connection, scope, kind, sought, dims=self._dims, now=self._clock.now())

    async def progress(self, scope: Scope, session_id: str) -> Progress:
        """Return what of this session is stored already. Events erased as facts count as stored."""
        async with borrowed(self._pool) as connection:
            return await progress(connection, scope, session_id, self._clock.now())

    async def retractions(self, scope: Scope, session_id: str, undone: Undone) -> tuple[Retraction, ...]:
        """Return what the facts are without what was undone of this session; none where nothing changes."""
        async with borrowed(self._pool) as connection:
            return await retractions(connection, scope, session_id, undone, self._clock.now())

    async def save(self, save: Save, vectors: Mapping[str, Vector]) -> tuple[Applied, ...]:
        """Persist all changes in one transaction. `vectors` holds one vector for each text.

        Raises Conflict, InvalidInput for what Postgres cannot keep, ModelFailed for an unusable vector.
        """
        return await self._persist(save, vectors, compare=True)

    async def add_verbatim(
        self,
        scope: Scope,
        texts: Sequence[VerbatimText],
        vectors: Mapping[str, Vector],
        *,
        origin: Origin = "host",
    ) -> tuple[Applied, ...]:
        """Store facts in the host's own words. One of a time up to which the person was erased is left out."""
        now = self._clock.now()
        save = Save(
            scope=scope,
            session_id="",
            generation=0,
            changes=tuple(_verbatim(text, checked_time("at", text.at or now), origin) for text in texts),
            seen_event_ids=(),
            models={},
        )
        return await self._persist(save, vectors, compare=False)

    async def get(self, scope: Scope, key: str) -> Memory | None:
        """Return one unexpired memory of this person, None if there is none of that key."""
        async with borrowed(self._pool) as connection:
            return await recall.get(connection, scope, key, self._clock.now())

    async def list_memories(
        self,
        scope: Scope,
        kind: Kind,
        *,
        limit: int = 100,
        offset: int = 0,
        workflow: str | None = None,
        since: datetime | None = None,
    ) -> tuple[Memory, ...]:
        """Return unexpired memories by the time of their newest event, the newest first; re-dates nothing."""
        async with borrowed(self._pool) as connection:
            return await recall.list_memories(
                connection,
                scope,
                kind,
                now=self._clock.now(),
                limit=limit,
                offset=offset,
                workflow=workflow,
                since=since,
            )

    async def page(
        self,
        scope: Scope,
        *,
        kind: Kind | None = None,
        text: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        after: Position | None = None,
        limit: int = 50,
    ) -> Page:
        """Return unexpired memories of one kind or both, the newest event first; re-dates nothing.

        `text`: only those with these words, in any case. `since` and `until`: only of events from the one to
        before the other. `after`: only those behind this position, where the page before ended.
        Raises InvalidInput.
        """
        listed = Listed(kind=kind, text=text, since=since, until=until, after=after, limit=limit)
        async with borrowed(self._pool) as connection:
            return await page(connection, scope, listed, self._clock.now())

    async def correctable(self, scope: Scope, key: str, *, rev: int | None) -> Memory:
        """Return the fact that may be corrected. Raises NotFound, InvalidInput for an episode, Conflict for `rev`."""
        return correctable(await self.get(scope, key), key, rev)

    async def correct(self, scope: Scope, key: str, text: str, vector: Vector, *, rev: int | None) -> Memory:
        """Give a fact the words of its person. Words of another fact extend that one, and this one is deleted.

        Raises NotFound, InvalidInput for an episode, Conflict if it is not worded as often as `rev` any more or if
        the clock was set back.
        """
        now = self._clock.now()
        async with transaction(self._pool) as connection:
            await lock_scope(connection, scope, now)
            correctable(await recall.get(connection, scope, key, now), key, rev)
            save = correction(scope, key, text, now)
            applied = await self._persist_on(connection, save, {text: vector}, now, compare=False)
            kept = kept_of(applied, now)
            return correctable(await recall.get(connection, scope, kept, now), kept, None)

    def everything(self, scope: Scope) -> Everything:
        """Return what is kept of a person, to be read in batches."""
        return Everything(self._pool, scope, self._clock.now())

    async def history(self, scope: Scope, key: str | None = None, *, limit: int = 100) -> tuple[AuditEntry, ...]:
        """Return what was done to one memory, or to all of a person, the newest first."""
        if key is not None and not is_storable(key):
            return ()
        async with borrowed(self._pool) as connection:
            return await audit.history(connection, scope, key, limit)

    async def touch(self, scope: Scope) -> bool:
        """Re-date all that is unexpired of a scope; at most once a day, and False if it was done before."""
        return await self._expiry.touch(scope)

    async def sweep(self) -> int:
        """Delete what has expired, of all scopes; return how many rows that were."""
        return await self._expiry.sweep()

    async def _persist(self, save: Save, vectors: Mapping[str, Vector], *, compare: bool) -> tuple[Applied, ...]:
        async with transaction(self._pool) as connection:
            return await self._persist_on(connection, save, vectors, self._clock.now(), compare=compare)

    async def _persist_on(
        self, connection: Connection, save: Save, vectors: Mapping[str, Vector], now: datetime, *, compare: bool
    ) -> tuple[Applied, ...]:
        return await persist(
            connection, save, vectors, dims=self._dims, ttl_days=self._ttl_days, now=now, compare=compare
        )


def _verbatim(text: VerbatimText, at: datetime, origin: Origin) -> Change:
    # The same text of the same time is the same event: handing it over again cannot bring back what was erased.
    event_id = f"{origin}-{fingerprint(text.text)[:16]}-{at.isoformat()}"
    return Change(
        action="ADD",
        kind="semantic",
        key=None,
        text=text.text,
        content={"content": text.text},
        source=Source(session_id="", event_ids=(event_id,), at=at, origin=origin),
    )

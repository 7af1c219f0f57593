"""The inbox: sessions that were accepted, durably, and what became of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString, TypeVar

from psycopg.rows import class_row, tuple_row

from twofold.memory.ports import Clock
from twofold.memory.scope import Scope
from twofold.memory.tombstones import remaining
from twofold.memory.transcript import Entry, Transcript, without_noise
from twofold.store.entries import Identity, as_stored, columns, entry_of, news, with_zones
from twofold.store.inbox_rows import (
    ADD,
    ADD_ENTRIES,
    DONE,
    EMPTY,
    ENTRIES,
    FAILED,
    FIND_LOCKED,
    KNOWN,
    LOAD,
    STATE,
    UPDATE,
    InboxRow,
    SessionState,
)
from twofold.store.labels import which
from twofold.store.pool import Connection, Pool, borrowed, transaction
from twofold.store.queue import ORDINARY, URGENT, Queue
from twofold.store.scopes import hold_scope, tombstones
from twofold.store.storable import escaped
from twofold.store.ttl import expiry

T = TypeVar("T")

LARGEST = 2**63 - 1
_LONGEST_ERROR = 500
_LONG = 500
_BATCH = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """The revision that holds what was handed over, and whether that was news. Revision 0 holds nothing."""

    revision: int
    changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """An accepted session as it is now, without what was erased since. `last_erase` numbers the last erase of it."""

    transcript: Transcript
    revision: int
    done_revision: int
    last_erase: int


class Inbox:
    """Accepts sessions in a few milliseconds and keeps them until they are stored."""

    def __init__(self, pool: Pool, queue: Queue, *, ttl_days: int | None, clock: Clock) -> None:
        """Use the pool on its event loop. Rows expire with their scope, `ttl_days` after it was last used."""
        self._pool = pool
        self._queue = queue
        self._ttl_days = ttl_days
        self._clock = clock

    async def accept(
        self, scope: Scope, session_id: str, entries: Iterable[Entry], settle: float, *, priority: int | None = None
    ) -> Accepted:
        """Merge a session into its row and queue one job, in one transaction; the session is safe afterwards.

        The job is due in `settle` seconds, so that quick turns share one extraction; with 0 it is due now and
        goes before others of this person, unless its `priority` in the queue is given. Nothing is queued if nothing
        is new. What was erased stays out.

        Raises InvalidInput for a time without its zone, StoreUnavailable if the database does not take it.
        """
        given = tuple(entries)
        arrived = await _aside(len(given), lambda: tuple(as_stored(with_zones(without_noise(given)))))
        session = which(scope, session_id)
        async with transaction(self._pool) as connection, connection.pipeline():
            now = self._clock.now()
            await hold_scope(connection, scope, now)
            arrived = remaining(arrived, await tombstones(connection, scope, session_id))
            row = await _locked(connection, scope, session_id, now, add=bool(arrived))
            if row is None:
                return Accepted(revision=0, changed=False)
            if row.expired:
                await connection.execute(EMPTY, session)
            new = await _news(await _known(connection, session), arrived)
            if not new:
                return Accepted(revision=row.revision, changed=False)
            revision = row.revision + 1
            for batch in await _batches(new):
                await connection.execute(ADD_ENTRIES, {**session, **batch})
            dated = {"revision": revision, "now": now, "expires_at": expiry(now, self._ttl_days)}
            await connection.execute(UPDATE, {**session, **dated})
            priority = (URGENT if settle <= 0 else ORDINARY) if priority is None else priority
            await self._queue.defer(connection, scope, session_id, revision, after=settle, priority=priority)
            return Accepted(revision=revision, changed=True)

    async def load(self, scope: Scope, session_id: str) -> Loaded | None:
        """Return the session, None if it was never accepted or was erased."""
        session = which(scope, session_id)
        async with borrowed(self._pool) as connection:
            row = await _row(connection, LOAD, {**session, "now": self._clock.now()})
            if row is None or row.expired:
                return None
            erased = await tombstones(connection, scope, session_id)
            rows = await (await connection.execute(ENTRIES, session)).fetchall()
        entries = remaining((entry_of(row["entry"]) for row in rows), erased)
        return Loaded(
            transcript=Transcript(session_id=session_id, entries=entries),
            revision=row.revision,
            done_revision=row.done_revision,
            last_erase=row.last_erase,
        )

    async def state(self, scope: Scope, session_id: str) -> SessionState | None:
        """Return how far the session got, None if it was never accepted or was erased."""
        async with (
            borrowed(self._pool) as connection,
            connection.cursor(row_factory=class_row(SessionState)) as cursor,
        ):
            return await (await cursor.execute(STATE, which(scope, session_id))).fetchone()

    async def mark_done(
        self, scope: Scope, session_id: str, revision: int, reason: str = "", *, last_erase: int = LARGEST
    ) -> None:
        """Note that this revision needs no more work; `reason` says why nothing was stored.

        Nothing is noted of a session that was erased since `last_erase`: it begins anew, at revision 1.
        """
        noted = {**which(scope, session_id), "revision": revision, "reason": reason, "last_erase": last_erase}
        async with borrowed(self._pool) as connection:
            await connection.execute(DONE, noted)

    async def mark_failed(self, scope: Scope, session_id: str, revision: int, cause: str, *, final: bool) -> None:
        """Note why an attempt failed; with `final` the revision becomes a dead letter until it is tried anew."""
        said = cause.encode(errors="replace").decode().replace("\x00", "")[:_LONGEST_ERROR]
        failed = {"revision": revision if final else 0, "error": said, "now": self._clock.now()}
        async with borrowed(self._pool) as connection:
            await connection.execute(FAILED, {**which(scope, session_id), **failed})


async def _news(known: dict[Identity, bool], arrived: Sequence[Entry]) -> tuple[Entry, ...]:
    return await _aside(len(arrived), lambda: news(known, arrived))


async def _batches(new: Sequence[Entry]) -> list[dict[str, list[Any]]]:
    firsts = range(0, len(new), _BATCH)
    return await _aside(len(new), lambda: [columns(new[first : first + _BATCH]) for first in firsts])


async def _aside(entries: int, work: Callable[[], T]) -> T:
    """Do this on a thread for a long session, so that nobody waits meanwhile; a short one is done sooner here."""
    return await asyncio.to_thread(work) if entries > _LONG else work()


async def _locked(
    connection: Connection, scope: Scope, session_id: str, now: datetime, *, add: bool
) -> InboxRow | None:
    session = {**which(scope, session_id), "now": now}
    row = await _row(connection, FIND_LOCKED, session)
    if row is None and add:
        raw = {
            "tenant_id": escaped(scope.tenant_id),
            "user_id": escaped(scope.user_id),
            "session_id": escaped(session_id),
        }
        await connection.execute(ADD, {**session, **raw})
        row = await _row(connection, FIND_LOCKED, session)
    return row


async def _known(connection: Connection, session: dict[str, str]) -> dict[Identity, bool]:
    async with connection.cursor(row_factory=tuple_row) as cursor:
        rows = await (await cursor.execute(KNOWN, session)).fetchall()
    return {(event, part): timed for event, part, timed in rows}


async def _row(connection: Connection, statement: LiteralString, parameters: dict[str, object]) -> InboxRow | None:
    async with connection.cursor(row_factory=class_row(InboxRow)) as cursor:
        return await (await cursor.execute(statement, parameters)).fetchone()

"""Looking at what waits: now and then for health and metrics, and whenever somebody asks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from datetime import timedelta

from twofold import telemetry
from twofold.health import Backlog, Health, SaveError
from twofold.memory.errors import TwofoldError
from twofold.memory.ports import Clock
from twofold.memory.scope import Scope
from twofold.store.backlog import Backlog as StoredBacklog
from twofold.store.inbox_rows import Pending
from twofold.sweep import ended

GRACE_SECONDS = 60.0
"""How much longer than it settles a session may wait before memory is behind."""
LOOK_SECONDS = 5.0
SOON_SECONDS = 1.0
_REST = 20


class BacklogWatch:
    """Tells `health` and the metrics what waits in a database."""

    def __init__(self, stored: StoredBacklog, health: Health, *, clock: Clock, settle_seconds: float) -> None:
        """Take what counts, on its event loop, and what is told."""
        self.health = health
        self._stored = stored
        self._clock = clock
        self._patience = timedelta(seconds=settle_seconds + GRACE_SECONDS)

    async def backlog(self, scope: Scope | None = None, *, tenants: Collection[str] | None = None) -> Backlog:
        """Return what waits and what was given up, of a person, of tenants or of everyone. Raises StoreUnavailable."""
        pending = await self._stored.pending(scope, tenants=tenants)
        behind = pending.oldest_at is not None and pending.oldest_at < self._clock.now() - self._patience
        return Backlog(
            waiting=pending.waiting,
            failed=pending.failed,
            oldest_at=pending.oldest_at,
            behind_since=pending.oldest_at if behind else None,
            last_error=_last_error(pending),
        )

    async def look(self) -> Backlog:
        """Return what waits of everyone, and have health and metrics tell it. Raises StoreUnavailable."""
        backlog = await self.backlog()
        self.health.saw(backlog)
        waited = self._clock.now() - backlog.oldest_at if backlog.oldest_at else timedelta()
        telemetry.backlog_seen(
            self.health.database,
            waiting=backlog.waiting,
            given_up=backlog.failed,
            oldest=max(0.0, waited.total_seconds()),
        )
        return backlog

    def soon(self) -> None:
        """Have a watch of this memory look soon, on whichever loop: something was accepted, stored or failed."""
        self.health.look_soon = True

    @asynccontextmanager
    async def going_on(self) -> AsyncIterator[None]:
        """Look every few seconds while the context lasts."""
        watch = asyncio.create_task(self._watch(), name="twofold-watch")
        try:
            yield
        finally:
            await ended(watch)
            telemetry.backlog_unknown(self.health.database)

    async def _watch(self) -> None:
        while True:
            self.health.look_soon = False
            began = time.monotonic()
            try:
                await self.look()
            except TwofoldError as error:
                self.health.lost(error)
            await self._rest(_REST * (time.monotonic() - began))

    async def _rest(self, least: float) -> None:
        """Wait for the next look: longer after one that took long, as over very many sessions."""
        began = time.monotonic()
        while (rested := time.monotonic() - began) < max(least, LOOK_SECONDS):
            if self.health.look_soon and rested >= max(least, SOON_SECONDS):
                return
            await asyncio.sleep(SOON_SECONDS)


def _last_error(pending: Pending) -> SaveError | None:
    if pending.failing_session is None:
        return None
    return SaveError(session_id=pending.failing_session, at=pending.failed_at, cause=pending.error)

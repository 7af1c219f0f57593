"""Hand stored sessions over as if they had just been talked, and see them saved."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, nullcontext
from dataclasses import dataclass

from twofold import telemetry
from twofold.adk.outstanding import Outstanding
from twofold.adk.scopes import ScopeOf
from twofold.adk.stored.sessions import SessionPart
from twofold.app import MemoryApp
from twofold.memory.errors import InvalidInput
from twofold.memory.scope import Scope
from twofold.store.inbox import Accepted
from twofold.store.queue import BACKFILL, REMAINDER

logger = logging.getLogger(__name__)

MOST_WAITING = 100
"""So many saves of a backfill may wait before it accepts more. They come after those of what is said today."""
BETWEEN_PARTS_SECONDS = 10.0
"""A session in parts is not saved before its last part is there, unless that does not come."""
_LOOKS = 8
_REST_SECONDS = 0.2


@dataclass(slots=True, kw_only=True)
class Tally:
    """How far a backfill is: sessions, but for `events` and `unreadable`, which are events.

    `accepted` held something new, `unchanged` nothing new, `empty` nothing to remember; `refused` could not be
    accepted. `saved` and `failed` are how saves ended that this backfill waited for, and `waiting` did not end yet.
    """

    sessions: int = 0
    events: int = 0
    unreadable: int = 0
    accepted: int = 0
    unchanged: int = 0
    empty: int = 0
    refused: int = 0
    saved: int = 0
    failed: int = 0
    waiting: int = 0

    def read(self, part: SessionPart) -> None:
        """Count what was read."""
        self.sessions += part.first
        self.events += part.events
        self.unreadable += part.unreadable


class Backfill:
    """Hands sessions over, one after another, and waits for their saves."""

    def __init__(
        self,
        app: MemoryApp,
        scope_of: ScopeOf,
        *,
        rate: float | None = None,
        concurrency: int | None = None,
        tell: Callable[[Tally], None] = lambda _: None,
    ) -> None:
        """Take how much is done at most: `rate` sessions accepted a second, `concurrency` saved at once.

        Without a concurrency nothing is saved here: workers elsewhere do it. `scope_of` says whose memory an ADK
        user's is; `tell` is called with the tally as it grows.
        """
        self.tally = Tally()
        self._app = app
        self._scope_of = scope_of
        self._pause = 1 / rate if rate else 0.0
        self._next = 0.0
        self._concurrency = concurrency
        self._tell = tell
        self._saves = Outstanding(app.database.inbox)
        self._news = self._refused = False

    async def run(self, parts: Iterator[SessionPart]) -> None:
        """Accept every session, then wait until each of their saves is done or given up, if they are saved here.

        It may be stopped at any moment and run again: what was accepted is merged, never doubled. Raises what
        reading the parts raises, and StoreUnavailable.
        """
        concurrency = self._concurrency
        async with nullcontext() if concurrency is None else self._app.working(concurrency=concurrency):
            async with aclosing(ahead(parts)) as coming:
                async for part in coming:
                    if part.first:
                        await self._pace()
                    await self._accept(part)
                    await self._watch(MOST_WAITING)
            await self._watch(0)

    async def _accept(self, part: SessionPart) -> None:
        self.tally.read(part)
        if part.first:
            self._news = self._refused = False
        scope = self._scope_of(part.app_name, part.user_id)
        revision = 0
        try:
            accepted = await self._hand_over(scope, part)
        except InvalidInput as error:
            self._refused = True
            logger.warning("Session %s of user %s is not accepted: %s", part.session_id, part.user_id, error)
        else:
            self._news = self._news or accepted.changed
            revision = accepted.revision
        if part.last:
            self._count(revision)
            awaited = self._concurrency is not None and revision > 0
            if awaited and (self._news or not await self._saves.is_done(scope, part.session_id, revision)):
                self._saves.add(scope, part.session_id, revision)

    async def _hand_over(self, scope: Scope, part: SessionPart) -> Accepted:
        # A part in between comes after its last one, or that would wait until the part is due.
        settle, priority = (0.0, BACKFILL) if part.last else (BETWEEN_PARTS_SECONDS, REMAINDER)
        inbox = self._app.database.inbox
        with telemetry.accepting(len(part.entries)) as outcome:
            accepted = await inbox.accept(scope, part.session_id, part.entries, settle, priority=priority)
            outcome("accepted" if accepted.changed else "unchanged")
        return accepted

    def _count(self, revision: int) -> None:
        """Count a session of which the last part is there."""
        if self._refused:
            self.tally.refused += 1
        elif self._news:
            self.tally.accepted += 1
        elif revision:
            self.tally.unchanged += 1
        else:
            self.tally.empty += 1

    async def _watch(self, most: int) -> None:
        """Look how a save ended, and at more of them while over `most` wait."""
        misses = 0
        while True:
            ended = await self._saves.look()
            self.tally.saved, self.tally.failed = self._saves.saved, self._saves.failed
            self.tally.waiting = len(self._saves)
            self._tell(self.tally)
            if len(self._saves) <= most:
                return
            misses = 0 if ended else misses + 1
            if misses >= min(_LOOKS, len(self._saves)):
                misses = 0
                await asyncio.sleep(_REST_SECONDS)

    async def _pace(self) -> None:
        """Wait until the next session may be accepted."""
        now = asyncio.get_running_loop().time()
        if self._next > now:
            await asyncio.sleep(self._next - now)
        self._next = max(now, self._next) + self._pause


async def ahead(parts: Iterator[SessionPart]) -> AsyncGenerator[SessionPart, None]:
    """Yield the parts; the next one is read on a thread while the one before is worked on."""
    reading = asyncio.create_task(asyncio.to_thread(next, parts, None))
    try:
        while (part := await asyncio.shield(reading)) is not None:
            reading = asyncio.create_task(asyncio.to_thread(next, parts, None))
            yield part
    finally:
        # A thread cannot be cancelled, and what it reads from must not be closed under it.
        await asyncio.wait({reading})
        if not reading.cancelled():
            reading.exception()

"""Accepted sessions whose saves somebody waits for, and how they ended."""

from __future__ import annotations

import asyncio
import logging
from collections import deque

from twofold.memory.errors import StoreUnavailable
from twofold.memory.scope import Scope
from twofold.store.inbox import Inbox

logger = logging.getLogger(__name__)

_AWAY_SECONDS = 2.0


class Outstanding:
    """Looks at the saves that wait, in turn. It counts those that ended: `saved`, `failed`."""

    def __init__(self, inbox: Inbox) -> None:
        """Start with none."""
        self.saved = 0
        self.failed = 0
        self._inbox = inbox
        self._waiting: deque[tuple[Scope, str, int]] = deque()

    def __len__(self) -> int:
        """Return how many have not ended, as far as was looked."""
        return len(self._waiting)

    def add(self, scope: Scope, session_id: str, revision: int) -> None:
        """Wait for this revision too."""
        self._waiting.append((scope, session_id, revision))

    async def is_done(self, scope: Scope, session_id: str, revision: int) -> bool:
        """Whether nothing is left to do for a revision. Raises StoreUnavailable."""
        state = await self._inbox.state(scope, session_id)
        return state is None or state.done(revision)

    async def look(self) -> bool:
        """Look at one of them and return whether it has ended; waits a moment for a database that is away."""
        if not self._waiting:
            return False
        scope, session_id, revision = self._waiting[0]
        try:
            state = await self._inbox.state(scope, session_id)
        except StoreUnavailable as error:
            logger.warning("The database is away: %s", error)
            await asyncio.sleep(_AWAY_SECONDS)
            return False
        self._waiting.popleft()
        if state is None or state.done(revision):  # None: it was erased meanwhile
            self.saved += 1
        elif state.given_up(revision):
            self.failed += 1
        else:
            self._waiting.append((scope, session_id, revision))
            return False
        return True

"""Erasing, each time as a whole or not at all, and the proof of it."""

from __future__ import annotations

from twofold.memory.ports import Clock
from twofold.memory.scope import Scope
from twofold.store import erase, erase_people
from twofold.store.erased import Erased
from twofold.store.pool import Pool, borrowed, transaction
from twofold.store.queue import Queue
from twofold.store.remains import Remains, remains
from twofold.store.storable import is_storable


class Erasing:
    """What erases memories, sessions, people and tenants, and counts what is left of them."""

    def __init__(self, pool: Pool, *, clock: Clock, queue: Queue) -> None:
        """Use the pool on its event loop."""
        self._pool = pool
        self._clock = clock
        self._queue = queue

    async def erase_memory(self, scope: Scope, key: str) -> Erased:
        """Erase one memory with its traces; a key that is not this person's is left alone."""
        if not is_storable(key):
            return Erased()
        async with transaction(self._pool) as connection:
            return await erase.erase_memory(connection, scope, key, self._clock.now())

    async def erase_session(self, scope: Scope, session_id: str) -> Erased:
        """Erase what was accepted of a session and what rests on it."""
        async with transaction(self._pool) as connection:
            return await erase.erase_session(connection, self._queue, scope, session_id, self._clock.now())

    async def erase_user(self, scope: Scope) -> Erased:
        """Erase everything of a person."""
        async with transaction(self._pool) as connection:
            return await erase_people.erase_user(connection, self._queue, scope, self._clock.now())

    async def erase_tenant(self, tenant_id: str) -> Erased:
        """Erase everything of everybody in a tenant, also of those who are not known yet.

        Each person goes whole or not at all. Raises StoreUnavailable if it breaks off: erase the tenant again.
        """
        return await erase_people.erase_tenant(self._pool, self._queue, tenant_id, self._clock.now())

    async def remains(self, scope: Scope, *, session_id: str | None = None, key: str | None = None) -> Remains:
        """Count what is left of a person, or of one session or one memory of theirs, table by table."""
        if key is not None and not is_storable(key):
            key = ""
        async with borrowed(self._pool) as connection:
            return await remains(
                connection, tenant_id=scope.tenant_id, user_id=scope.user_id, session_id=session_id, key=key
            )

    async def remains_of_tenant(self, tenant_id: str) -> Remains:
        """Count what is left of everybody in a tenant, table by table."""
        async with borrowed(self._pool) as connection:
            return await remains(connection, tenant_id=tenant_id)

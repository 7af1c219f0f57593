"""Erasing for a caller: the memory and the threads of the server, with the proof."""

from __future__ import annotations

from dataclasses import asdict

from twofold.api.threads import CallersThreads, ErasedThreads, Owner
from twofold.app import MemoryApp
from twofold.memory.scope import Scope
from twofold.store.erased import Erased
from twofold.store.remains import Remains
from twofold.wire import ErasedBody


async def erase_user(app: MemoryApp, threads: CallersThreads, scope: Scope) -> ErasedBody:
    """Erase everything of a person."""
    owner = Owner(tenant_id=scope.tenant_id, user_id=scope.user_id)
    memories = app.database.memories
    before = await threads.erase(owner)  # first, so that no run of them saves anything more
    erased = await memories.erase_user(scope)
    after = await threads.erase(owner)
    return erased_body(erased, await memories.remains(scope), before.and_then(after))


async def erase_session(app: MemoryApp, threads: CallersThreads, scope: Scope, session_id: str) -> ErasedBody:
    """Erase what came from one session."""
    owner = Owner(tenant_id=scope.tenant_id, user_id=scope.user_id, session_id=session_id)
    memories = app.database.memories
    before = await threads.erase(owner)
    erased = await memories.erase_session(scope, session_id)
    after = await threads.erase(owner)
    return erased_body(erased, await memories.remains(scope, session_id=session_id), before.and_then(after))


async def erase_tenant(app: MemoryApp, threads: CallersThreads, tenant_id: str) -> ErasedBody:
    """Erase everything of everybody in a tenant."""
    owner = Owner(tenant_id=tenant_id)
    memories = app.database.memories
    before = await threads.erase(owner)
    erased = await memories.erase_tenant(tenant_id)
    after = await threads.erase(owner)
    return erased_body(erased, await memories.remains_of_tenant(tenant_id), before.and_then(after))


def erased_body(erased: Erased, remains: Remains, threads: ErasedThreads | None = None) -> ErasedBody:
    """Return what was erased and what is left of it."""
    gone = threads or ErasedThreads()
    return ErasedBody(
        **asdict(erased),
        threads=gone.threads,
        runs=gone.runs,
        schedules=gone.schedules,
        threads_left=list(gone.threads_left),
        remaining=dict(remains.rows),
        tombstones=remains.tombstones,
        running=remains.running,
    )

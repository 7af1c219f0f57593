"""Erase whole people: one, or all of a tenant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, LiteralString

from twofold.memory.scope import Kind, Scope, label
from twofold.store import erasures as sql
from twofold.store.erased import Erased
from twofold.store.labels import prefix_named, whose
from twofold.store.pool import Connection, Pool, borrowed, transaction
from twofold.store.queue import QUEUE, Queue, lock_named
from twofold.store.scopes import ANNOUNCE_NEWCOMER

BATCH = 50
"""People of a tenant erased in one transaction."""

_KINDS: tuple[Kind, ...] = ("semantic", "episodic")


async def erase_user(connection: Connection, queue: Queue, scope: Scope, now: datetime) -> Erased:
    """Erase everything of a person. What remains is a tombstone: nothing up to now may come back."""
    person = whose(scope)
    erased = await _erase_people(connection, queue, person["tenant"], [person["user"]], now)
    await connection.execute(
        sql.BURY, {**person, "session": None, "kind": None, "before": now, "event_ids": [], "now": now}
    )
    return erased


async def erase_tenant(pool: Pool, queue: Queue, tenant_id: str, now: datetime) -> Erased:
    """Erase everything of everybody in a tenant, and keep out what was said up to now, by whomever.

    The tombstone comes first: from then on nothing old is accepted. Then the people go, so many in a transaction. An
    erase that breaks off leaves each of them whole or erased; done again, it goes on.
    """
    named = label(tenant_id)
    tenant = {"tenant": named, "now": now, "queue": QUEUE}
    async with transaction(pool) as connection:
        await connection.execute(sql.DELETE_TENANTS_TOMBSTONES, tenant)
        await connection.execute(sql.BURY_TENANT, tenant)
    async with transaction(pool) as connection:
        await connection.execute(sql.WAIT_FOR_NEWCOMERS, tenant)
    async with borrowed(pool) as connection:
        rows = await (await connection.execute(sql.PEOPLE_OF_TENANT, tenant)).fetchall()
    users = [row["user_label"] for row in rows]
    erased = Erased(people=len(users), at=now)
    for first in range(0, len(users), BATCH):
        async with transaction(pool) as connection:
            batch = users[first : first + BATCH]
            erased = erased.and_more(await _erase_people(connection, queue, named, batch, now))
    return erased


async def _erase_people(
    connection: Connection, queue: Queue, tenant: str, users: Sequence[str], now: datetime
) -> Erased:
    """Erase everything of these people. What they said up to `now` is for another tombstone to keep out."""
    people: dict[str, Any] = {
        "tenant": tenant,
        "users": list(users),
        "prefixes": [prefix_named(tenant, kind, user) for user in users for kind in _KINDS],
        "now": now,
        "today": now.date(),
    }
    await connection.execute(ANNOUNCE_NEWCOMER, people)
    await connection.execute(sql.ADD_PEOPLE, people)
    await connection.execute(sql.LOCK_PEOPLE, people)
    await connection.execute(sql.DELETE_TOMBSTONES, people)
    await connection.execute(sql.BURY_LATER, people)
    [gone] = await (await connection.execute(sql.DELETE_MEMORIES, people)).fetchall()
    erased = Erased(
        **gone,
        audit_entries=await _done(connection, sql.DELETE_AUDIT, people),
        entries=await _done(connection, sql.DELETE_ALL_ENTRIES, people),
        sessions=await _done(connection, sql.DELETE_ALL_INBOX, people),
        ledger=await _done(connection, sql.DELETE_ALL_LEDGER, people),
        extractions=await _done(connection, sql.DELETE_ALL_KEPT, people),
        jobs=await queue.discard_people(connection, [lock_named(tenant, user) for user in users]),
        at=now,
    )
    await connection.execute(sql.DELETE_NOTES, people)
    await connection.execute(sql.NOTE_PEOPLE, people)
    await connection.execute(sql.RAISE_PEOPLE, people)
    return erased


async def _done(connection: Connection, statement: LiteralString, chosen: Mapping[str, Any]) -> int:
    return (await connection.execute(statement, chosen)).rowcount

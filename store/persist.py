"""Persist what a session changes: all of it in one transaction, or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import LiteralString

from psycopg.rows import class_row

from twofold.memory.errors import Conflict, InvalidInput
from twofold.memory.keys import fingerprint
from twofold.memory.memories import Applied, Change, Memory, Save, Vector, texts_of
from twofold.memory.times import checked_time
from twofold.store.audit import record
from twofold.store.labels import which
from twofold.store.pool import Connection
from twofold.store.reconcile import Reconciled, new_key, reconcile
from twofold.store.replay import is_repeated, surviving
from twofold.store.rows import StoreRow, memory_of, prefixes_of
from twofold.store.scopes import lock_scope, raise_generation, tombstones
from twofold.store.storable import checked_json, checked_text
from twofold.store.ttl import expiry, touch_within
from twofold.store.vectors import checked_vectors
from twofold.store.written import write

_MOVED = "This person's memory changed while the session was worked on; run the graph again"
_ERASED = "Part of this session was erased while it was worked on; run the graph again"

_DROP_EXPIRED: LiteralString = """
DELETE FROM public.store WHERE prefix = ANY(%(prefixes)s) AND expires_at <= %(now)s
"""
_STORED: LiteralString = """
SELECT s.prefix, s.key, s.value, s.created_at, s.updated_at
FROM public.store s LEFT JOIN twofold.memory m USING (prefix, key)
WHERE s.prefix = ANY(%(prefixes)s)
  AND (s.key = ANY(%(keys)s) OR (m.kind = 'semantic' AND m.fingerprint = ANY(%(fingerprints)s)))
"""
_SEEN: LiteralString = """
SELECT event_ids FROM twofold.ledger
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
  AND (expires_at IS NULL OR expires_at > %(now)s)
"""
# What has expired is replaced, never revived.
_NOTE_SEEN: LiteralString = """
INSERT INTO twofold.ledger AS l (tenant_label, user_label, session_label, event_ids, expires_at)
VALUES (%(tenant)s, %(user)s, %(session)s, %(event_ids)s, %(expires_at)s)
ON CONFLICT (tenant_label, user_label, session_label) DO UPDATE
SET event_ids = CASE WHEN l.expires_at <= %(now)s THEN excluded.event_ids
                     ELSE ARRAY(SELECT DISTINCT unnest(l.event_ids || excluded.event_ids)) END,
    expires_at = excluded.expires_at
"""
_FORGET_KEPT: LiteralString = """
DELETE FROM twofold.kept
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
"""


async def persist(
    connection: Connection,
    save: Save,
    vectors: Mapping[str, Vector],
    *,
    dims: int,
    ttl_days: int | None,
    now: datetime,
    compare: bool = True,
) -> tuple[Applied, ...]:
    """Persist a save in the transaction of `connection`; nothing of it is stored if that is rolled back.

    With `compare`, a save that changes anything is refused if the scope's generation is no longer the one at which the
    session was taken apart: another save of it may have come first, with more turns or a rewind. What repeats what is
    stored changes nothing, at any generation.

    Raises Conflict, InvalidInput for what Postgres cannot keep, ModelFailed for an unusable vector.
    """
    _check(save)
    usable = checked_vectors(texts_of(save), vectors, dims)
    moved = await lock_scope(connection, save.scope, now) != save.generation and compare
    erased = await tombstones(connection, save.scope, save.session_id)
    if moved and is_repeated(save, await _seen(connection, save, now), erased):
        save = _without_facts(save)
    elif moved and erased:
        raise Conflict(_ERASED)
    changes = surviving(save, erased)
    result = reconcile(save, changes, await _stored(connection, save, changes, now))
    if moved and (save.retracted or any(applied.action != "NOOP" for applied in result.applied)):
        raise Conflict(_ERASED if erased else _MOVED)
    await write(connection, save, result, usable, dims=dims, ttl_days=ttl_days, now=now)
    await record(connection, save, result.recorded, now)
    await _note(connection, save, result, now, ttl_days)
    await touch_within(connection, save.scope, now, ttl_days)
    return tuple(result.applied)


def _check(save: Save) -> None:
    for position, change in enumerate(save.changes):
        name = f"changes[{position}]"
        if change.action != "DELETE" and not change.text.strip():
            raise InvalidInput(f"{name}.text: is empty")
        if change.kind == "semantic" and change.action != "ADD" and change.key is None:
            raise InvalidInput(f"{name}.key: {change.action} needs the key of a fact")
        checked_time(f"{name}.source.at", change.source.at)
        checked_text(f"{name}.text", change.text)
        checked_text(f"{name}.key", change.key or "")
        checked_json(f"{name}.content", change.content)
        checked_json(f"{name}.source.event_ids", change.source.event_ids)
    checked_json("seen_event_ids", save.seen_event_ids)


def _without_facts(save: Save) -> Save:
    changes = tuple(change for change in save.changes if change.kind == "episodic")
    return replace(save, changes=changes, retracted=(), seen_event_ids=())


async def _seen(connection: Connection, save: Save, now: datetime) -> Sequence[str]:
    wanted = {**which(save.scope, save.session_id), "now": now}
    row = await (await connection.execute(_SEEN, wanted)).fetchone()
    return row["event_ids"] if row else ()


async def _stored(connection: Connection, save: Save, changes: Sequence[Change], now: datetime) -> list[Memory]:
    """Return the memories that the changes name or repeat. What has expired is deleted, never revived."""
    if not changes and not save.retracted:
        return []
    named = [key for change in changes for key in (change.key, new_key(save, change)) if key]
    said = [change.text for change in changes if change.kind == "semantic"]
    wanted = {
        "prefixes": list(prefixes_of(save.scope)),
        "keys": [*named, *(gone.key for gone in save.retracted)],
        "fingerprints": [fingerprint(text) for text in (*said, *(gone.text or "" for gone in save.retracted))],
        "now": now,
    }
    await connection.execute(_DROP_EXPIRED, wanted)
    async with connection.cursor(row_factory=class_row(StoreRow)) as cursor:
        rows = await (await cursor.execute(_STORED, wanted)).fetchall()
    return [memory_of(row) for row in rows]


async def _note(connection: Connection, save: Save, result: Reconciled, now: datetime, ttl_days: int | None) -> None:
    session = which(save.scope, save.session_id)
    # Of a source more, too: a retraction that does not know of it would delete the fact.
    if result.written or result.deleted:
        await raise_generation(connection, save.scope)
    if save.seen_event_ids:
        dated = {"now": now, "expires_at": expiry(now, ttl_days)}
        noted = {**session, **dated, "event_ids": list(save.seen_event_ids)}
        await connection.execute(_NOTE_SEEN, noted)
    await connection.execute(_FORGET_KEPT, session)

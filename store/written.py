"""Write memories: LangGraph's rows through its own store, and the side rows they cannot hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, LiteralString

from langgraph.store.base import PutOp

from twofold.memory.identifiers import identifiers
from twofold.memory.keys import fingerprint
from twofold.memory.memories import Memory, Save, Vector
from twofold.memory.scope import Scope, label, namespace
from twofold.store.langgraph_tables import joined
from twofold.store.pool import Connection, shared_path
from twofold.store.reconcile import Reconciled
from twofold.store.rows import prefix_of, value_of
from twofold.store.ttl import expiry, ttl_minutes

# LangGraph dates by the server's clock; ours may be ahead of it, in tests by weeks.
_DATE: LiteralString = """
UPDATE public.store SET expires_at = %(expires_at)s WHERE prefix = ANY(%(prefixes)s) AND key = ANY(%(keys)s)
"""
_SIDE: LiteralString = """
INSERT INTO twofold.memory AS m
    (prefix, key, kind, fingerprint, tokens, sessions, worded_by, event_at, workflow)
VALUES (%(prefix)s, %(key)s, %(kind)s, %(fingerprint)s, %(tokens)s, %(sessions)s, %(worded_by)s,
        %(event_at)s, %(workflow)s)
ON CONFLICT (prefix, key) DO UPDATE
SET fingerprint = excluded.fingerprint, tokens = excluded.tokens, sessions = excluded.sessions,
    worded_by = CASE WHEN %(reworded)s THEN excluded.worded_by ELSE m.worded_by END,
    event_at = excluded.event_at, workflow = excluded.workflow
"""


async def write(
    connection: Connection,
    save: Save,
    result: Reconciled,
    vectors: Mapping[str, Vector],
    *,
    dims: int,
    ttl_days: int | None,
    now: datetime,
) -> None:
    """Write and delete what `reconcile` decided, in the transaction of `connection`.

    Side rows of deleted memories and vectors go with the row they belong to.
    """
    if not result.written and not result.deleted:
        return
    minutes = ttl_minutes(ttl_days)
    puts = [
        PutOp(
            namespace=namespace(save.scope, memory.kind),
            key=memory.key,
            value=value_of(memory),
            index=None if memory.key in result.reworded else False,  # the words are as before: so is the vector
            ttl=None if minutes is None else float(minutes),
        )
        for memory in result.written.values()
    ]
    deletes = [
        PutOp(namespace=namespace(save.scope, kind), key=key, value=None) for key, kind in result.deleted.items()
    ]
    await shared_path(connection)
    async with joined(connection, vectors, dims) as store:
        await store.abatch([*deletes, *puts])
    if not result.written:
        return
    dated = {
        "expires_at": expiry(now, ttl_days),
        "prefixes": list({prefix_of(save.scope, memory.kind) for memory in result.written.values()}),
        "keys": list(result.written),
    }
    await connection.execute(_DATE, dated)
    async with connection.cursor() as cursor:
        await cursor.executemany(
            _SIDE,
            [_side_row(save.scope, memory, result, save.session_id) for memory in result.written.values()],
        )


def _side_row(scope: Scope, memory: Memory, result: Reconciled, session_id: str) -> dict[str, Any]:
    return {
        "prefix": prefix_of(scope, memory.kind),
        "key": memory.key,
        "kind": memory.kind,
        "fingerprint": fingerprint(memory.text),
        "tokens": sorted(identifiers(memory.text) | _argument_identifiers(memory)),
        "sessions": sorted({label(source.session_id) for source in memory.sources}),
        "worded_by": label(result.worded_by.get(memory.key, session_id)),
        "reworded": memory.key in result.reworded,
        "event_at": memory.updated_at,
        "workflow": str(memory.content.get("workflow") or ""),
    }


def _argument_identifiers(memory: Memory) -> frozenset[str]:
    """Return the identifiers in all arguments of an episode: its text cuts long ones and leaves steps out."""
    runs: Any = memory.content.get("runs") or ()
    args = [step.get("args") for run in runs for step in run.get("steps", ())]
    return identifiers(json.dumps(args, ensure_ascii=False)) if args else frozenset()

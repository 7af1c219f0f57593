"""What is left of a person, a session, a memory or a tenant: the proof of an erase, over every table, at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, LiteralString

from twofold.memory.scope import Scope, label
from twofold.store.labels import which, whose
from twofold.store.pool import Connection
from twofold.store.queue import QUEUE, lock_of
from twofold.store.rows import prefixes_of
from twofold.store.storable import escaped

# Of a tenant the prefixes are not known, but what they begin with is.
_PREFIX: LiteralString = """
(CASE WHEN %(user)s::text IS NULL
      THEN starts_with(prefix, %(tenant)s || '.semantic.') OR starts_with(prefix, %(tenant)s || '.episodic.')
      ELSE prefix = ANY(%(prefixes)s) END)
"""
_OF_MEMORY: LiteralString = f"""
WHERE {_PREFIX} AND (%(key)s::text IS NULL OR key = %(key)s)
  AND (%(session)s::text IS NULL OR EXISTS (
        SELECT 1 FROM twofold.memory m
        WHERE m.prefix = t.prefix AND m.key = t.key AND %(session)s = ANY(m.sessions)))
"""  # noqa: S608 - of the text above
_OF_PERSON: LiteralString = """
tenant_label = %(tenant)s AND (%(user)s::text IS NULL OR user_label = %(user)s)
"""
# A memory is known by its key, and these rows by their session: of a memory alone, none is asked for.
_OF_SESSION: LiteralString = f"""
WHERE {_OF_PERSON} AND %(key)s::text IS NULL AND (%(session)s::text IS NULL OR session_label = %(session)s)
"""
_OF_JOBS: LiteralString = """
FROM twofold.procrastinate_jobs
WHERE queue_name = %(queue)s AND %(key)s::text IS NULL
  AND CASE WHEN %(user)s::text IS NULL THEN starts_with(lock, %(tenant)s || '/') ELSE lock = %(lock)s END
  AND (%(session)s::text IS NULL OR args ->> 'session_id' = %(session_id)s)
"""
# That something was erased is noted without its words.
_REMAINS: LiteralString = f"""
SELECT 'public.store' AS name, count(*) AS rows FROM public.store t {_OF_MEMORY}
UNION ALL SELECT 'public.store_vectors', count(*) FROM public.store_vectors t {_OF_MEMORY}
UNION ALL SELECT 'twofold.memory', count(*) FROM twofold.memory t {_OF_MEMORY}
UNION ALL SELECT 'twofold.inbox', count(*) FROM twofold.inbox {_OF_SESSION}
UNION ALL SELECT 'twofold.entry', count(*) FROM twofold.entry {_OF_SESSION}
UNION ALL SELECT 'twofold.ledger', count(*) FROM twofold.ledger {_OF_SESSION}
UNION ALL SELECT 'twofold.kept', count(*) FROM twofold.kept {_OF_SESSION}
UNION ALL SELECT 'twofold.audit', count(*) FROM twofold.audit
    WHERE {_OF_PERSON} AND (%(key)s::text IS NULL OR key = %(key)s)
      AND (%(session)s::text IS NULL OR session_label = %(session)s)
      AND CASE WHEN %(key)s::text IS NULL AND %(session)s::text IS NULL THEN action <> 'ERASE'
               WHEN %(key)s::text IS NULL THEN before <> '' OR after <> '' OR session_id <> '' OR event_ids <> '{{}}'
               ELSE before <> '' OR after <> '' END
UNION ALL SELECT 'twofold.procrastinate_jobs', count(*) {_OF_JOBS} AND status <> 'doing'
UNION ALL SELECT 'running', count(*) {_OF_JOBS} AND status = 'doing'
UNION ALL SELECT 'tombstones', count(*) FROM twofold.tombstone
    WHERE {_OF_PERSON} AND (%(session)s::text IS NULL OR session_label = %(session)s)
"""  # noqa: S608 - of the texts above


@dataclass(frozen=True, slots=True, kw_only=True)
class Remains:
    """How many rows of each table still belong to what was erased.

    Not among them, since they hold no words and keep the erased out: `tombstones`. Nor `running`, the saves under way,
    which end without effect.
    """

    rows: Mapping[str, int]
    tombstones: int
    running: int

    @property
    def total(self) -> int:
        """How many rows are left in all tables."""
        return sum(self.rows.values())


async def remains(
    connection: Connection,
    *,
    tenant_id: str,
    user_id: str | None = None,
    session_id: str | None = None,
    key: str | None = None,
) -> Remains:
    """Count in one statement what is left of a tenant, of a person of it, or of one session or memory of theirs."""
    asked: dict[str, Any] = {"tenant": label(tenant_id), "user": None, "session": None, "key": key, "queue": QUEUE}
    asked |= {"prefixes": None, "lock": None, "session_id": None}
    if user_id is not None:
        scope = Scope(tenant_id=tenant_id, user_id=user_id)
        asked |= {**whose(scope), "prefixes": list(prefixes_of(scope)), "lock": lock_of(scope)}
        if session_id is not None:
            asked |= {**which(scope, session_id), "session_id": escaped(session_id)}
    rows = await (await connection.execute(_REMAINS, asked)).fetchall()
    counts = {row["name"]: row["rows"] for row in rows}
    apart = {name: counts.pop(name) for name in ("tombstones", "running")}
    return Remains(rows=counts, **apart)

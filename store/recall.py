"""Find memories: by meaning and by exact identifier, and list them. Never touches the time to live.

Our own SQL, exact within one prefix: LangGraph's search filters after its HNSW scan and silently returns few
or no rows for people with many memories.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, LiteralString

from psycopg.rows import class_row

from twofold.memory.identifiers import identifiers
from twofold.memory.memories import Memory, Vector
from twofold.memory.scope import Kind, Scope, label
from twofold.store.pool import Connection
from twofold.store.rows import StoreRow, memory_of, prefix_of, prefixes_of
from twofold.store.storable import is_storable
from twofold.store.vectors import checked_vector

# What may not be returned is left out before any limit, by the few keys it is: twice as fast as a join. OFFSET 0
# keeps the planner from the HNSW index. A row of stock code may have a vector without a direction (NaN), or
# several vectors, which is what the wider inner limit is for.
_SEARCH: LiteralString = """
WITH near AS (
    SELECT key, min(distance) AS distance FROM (
        SELECT key, distance FROM (
            SELECT v.key, v.embedding <=> %(vector)s AS distance
            FROM public.store_vectors v
            WHERE v.prefix = %(prefix)s AND v.key NOT IN (
                SELECT key FROM public.store WHERE prefix = %(prefix)s AND expires_at <= %(now)s
                UNION ALL
                SELECT key FROM twofold.memory WHERE prefix = %(prefix)s AND only_session = %(except)s) OFFSET 0) d
        WHERE distance <> 'NaN'
        ORDER BY distance LIMIT 4 * %(limit)s::int) vectors
    GROUP BY key ORDER BY distance, key LIMIT %(limit)s
), exact AS (
    SELECT m.key, min(v.embedding <=> %(vector)s) AS distance,
           cardinality(ARRAY(SELECT unnest(m.tokens) INTERSECT SELECT unnest(%(tokens)s::text[]))) AS hits
    FROM twofold.memory m JOIN public.store_vectors v USING (prefix, key) JOIN public.store l USING (prefix, key)
    WHERE m.prefix = %(prefix)s AND m.tokens && %(tokens)s::text[]
      AND (l.expires_at IS NULL OR l.expires_at > %(now)s)
      AND (%(except)s::text IS NULL OR m.only_session IS DISTINCT FROM %(except)s)
    GROUP BY m.key, m.tokens ORDER BY hits DESC, distance, m.key LIMIT %(exact)s
), chosen AS (
    SELECT key, distance FROM exact
    UNION ALL
    SELECT key, distance FROM near WHERE key NOT IN (SELECT key FROM exact)
)
SELECT s.prefix, s.key, s.value, s.created_at, s.updated_at, 1 - c.distance AS score,
       cardinality(ARRAY(SELECT unnest(m.tokens) INTERSECT SELECT unnest(%(tokens)s::text[]))) AS hits
FROM chosen c JOIN public.store s ON s.prefix = %(prefix)s AND s.key = c.key
     LEFT JOIN twofold.memory m ON m.prefix = %(prefix)s AND m.key = c.key
ORDER BY c.distance, c.key
"""
_GET: LiteralString = """
SELECT prefix, key, value, created_at, updated_at FROM public.store
WHERE prefix = ANY(%(prefixes)s) AND key = %(key)s AND (expires_at IS NULL OR expires_at > %(now)s)
ORDER BY prefix DESC
"""
_LIST: LiteralString = """
SELECT s.prefix, s.key, s.value, s.created_at, s.updated_at
FROM public.store s LEFT JOIN twofold.memory m USING (prefix, key)
WHERE s.prefix = %(prefix)s AND (s.expires_at IS NULL OR s.expires_at > %(now)s)
  AND (%(workflow)s::text IS NULL OR m.workflow = %(workflow)s)
  AND (%(since)s::timestamptz IS NULL OR coalesce(m.event_at, s.updated_at) >= %(since)s)
ORDER BY coalesce(m.event_at, s.updated_at) DESC, s.key LIMIT %(limit)s OFFSET %(offset)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _FoundRow(StoreRow):
    hits: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """What is searched for: a text, its vector, how many, and the session whose own memories are left out."""

    query: str
    vector: Vector
    limit: int
    except_session: str | None


async def search(
    connection: Connection, scope: Scope, kind: Kind, sought: Sought, *, dims: int, now: datetime
) -> tuple[Memory, ...]:
    """Return at most `limit` unexpired memories, the most similar first.

    Memories that hold identifiers of the query have up to half of the places, those with most of them first,
    however unlike the query they are as a whole. Raises ModelFailed for an unusable vector.
    """
    if sought.limit < 1:
        return ()
    exact = max(1, sought.limit // 2)
    parameters: dict[str, Any] = {
        "prefix": prefix_of(scope, kind),
        "vector": checked_vector(sought.vector, dims),
        "tokens": sorted(identifiers(sought.query)),
        "limit": sought.limit,
        "exact": exact,
        "except": None if sought.except_session is None else label(sought.except_session),
        "now": now,
    }
    async with connection.cursor(row_factory=class_row(_FoundRow)) as cursor:
        rows = await (await cursor.execute(_SEARCH, parameters)).fetchall()
    return tuple(replace(memory_of(row), exact=row.hits > 0) for row in _chosen(rows, sought.limit, exact))


async def get(connection: Connection, scope: Scope, key: str, now: datetime) -> Memory | None:
    """Return one unexpired memory of this person, a fact before an episode; None if there is none of that key."""
    if not is_storable(key):
        return None
    async with connection.cursor(row_factory=class_row(StoreRow)) as cursor:
        chosen = {"prefixes": list(prefixes_of(scope)), "key": key, "now": now}
        row = await (await cursor.execute(_GET, chosen)).fetchone()
    return None if row is None else memory_of(row)


async def list_memories(
    connection: Connection,
    scope: Scope,
    kind: Kind,
    *,
    now: datetime,
    limit: int,
    offset: int = 0,
    workflow: str | None = None,
    since: datetime | None = None,
) -> tuple[Memory, ...]:
    """Return unexpired memories by the time of their newest event, the newest first."""
    chosen: dict[str, Any] = {
        "prefix": prefix_of(scope, kind),
        "now": now,
        "limit": limit,
        "offset": offset,
        "workflow": workflow,
        "since": since,
    }
    async with connection.cursor(row_factory=class_row(StoreRow)) as cursor:
        rows = await (await cursor.execute(_LIST, chosen)).fetchall()
    return tuple(memory_of(row) for row in rows)


def _chosen(rows: Sequence[_FoundRow], limit: int, exact: int) -> list[_FoundRow]:
    """Keep `limit` rows: the best exact ones first, then the nearest. Order stays by similarity."""
    by_hits = sorted((row for row in rows if row.hits), key=lambda row: -row.hits)[:exact]  # stable: nearest first
    places = {row.key for row in by_hits}
    for row in rows:
        if len(places) >= limit:
            break
        places.add(row.key)
    return [row for row in rows if row.key in places]

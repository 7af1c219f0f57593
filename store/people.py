"""Whom a database knows, and how far apart their sessions usually are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, LiteralString

from twofold.memory.scope import Scope, identifier_of, label
from twofold.store.pool import Connection
from twofold.store.storable import unescaped

# A person of whom nothing is left has a row here too, while a tombstone keeps their sessions out.
_PEOPLE: LiteralString = """
SELECT * FROM (
    SELECT s.tenant_label, s.user_label, i.tenant_id, i.user_id,
           coalesce(i.sessions, 0) AS sessions,
           greatest(s.touched_on, i.accepted_on) AS last_used,
           (SELECT count(*) FROM public.store t
            WHERE t.prefix = ANY(ARRAY[s.tenant_label || '.semantic.' || s.user_label,
                                       s.tenant_label || '.episodic.' || s.user_label])
              AND (t.expires_at IS NULL OR t.expires_at > %(now)s)) AS memories
    FROM twofold.scope s LEFT JOIN (
        SELECT tenant_label, user_label, min(tenant_id) AS tenant_id, min(user_id) AS user_id, count(*) AS sessions,
               (max(accepted_at) AT TIME ZONE 'UTC')::date AS accepted_on
        FROM twofold.inbox GROUP BY 1, 2
    ) i USING (tenant_label, user_label)
    WHERE (%(tenant)s::text IS NULL OR s.tenant_label = %(tenant)s)
      AND (%(user)s::text IS NULL OR s.user_label = %(user)s)
) person
WHERE memories > 0 OR sessions > 0
ORDER BY last_used DESC, tenant_label, user_label LIMIT %(limit)s
"""
# Days on which a person said something; a gap of two days or more between them is a pause. Those who work
# in bursts, at the end of each month, have many short gaps, so it is the pauses whose middle is taken.
_PAUSES: LiteralString = """
WITH active AS (
    SELECT DISTINCT tenant_label, user_label, (at AT TIME ZONE 'UTC')::date AS day FROM twofold.entry
), gaps AS (
    SELECT tenant_label, user_label,
           day - lag(day) OVER (PARTITION BY tenant_label, user_label ORDER BY day) AS days
    FROM active
)
SELECT tenant_label, user_label, i.tenant_id, i.user_id, p.days
FROM (SELECT tenant_label, user_label, percentile_cont(0.5) WITHIN GROUP (ORDER BY days) AS days
      FROM gaps WHERE days >= 2 GROUP BY 1, 2) p
     JOIN (SELECT DISTINCT ON (tenant_label, user_label) * FROM twofold.inbox) i USING (tenant_label, user_label)
WHERE p.days > %(longer_than)s
ORDER BY p.days DESC, tenant_label, user_label
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One person the database knows. `scope` is None where only a hash is left of the ids: `shown` has that."""

    scope: Scope | None
    shown: tuple[str, str]
    memories: int
    sessions: int
    last_used: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """How many days a person usually says nothing between the times that they do."""

    shown: tuple[str, str]
    days: float


async def people(
    connection: Connection, *, tenant_id: str | None, user_id: str | None, now: datetime, limit: int
) -> tuple[Person, ...]:
    """Return the people of whom there is anything, the last used first; of a tenant, of a user id, or all."""
    chosen = {
        "tenant": None if tenant_id is None else label(tenant_id),
        "user": None if user_id is None else label(user_id),
        "now": now,
        "limit": limit,
    }
    rows = await (await connection.execute(_PEOPLE, chosen)).fetchall()
    return tuple(_person(row) for row in rows)


async def long_pauses(connection: Connection, longer_than: float) -> tuple[Pause, ...]:
    """Return those whose usual pause is longer than so many days, the longest first."""
    rows = await (await connection.execute(_PAUSES, {"longer_than": longer_than})).fetchall()
    return tuple(Pause(shown=_shown(row), days=float(row["days"])) for row in rows)


def _person(row: dict[str, Any]) -> Person:
    ids = _identifier(row, "tenant"), _identifier(row, "user")
    return Person(
        scope=None if ids[0] is None or ids[1] is None else Scope(tenant_id=ids[0], user_id=ids[1]),
        shown=_shown(row),
        memories=row["memories"],
        sessions=row["sessions"],
        last_used=row["last_used"],
    )


def _shown(row: dict[str, Any]) -> tuple[str, str]:
    tenant, user = _identifier(row, "tenant"), _identifier(row, "user")
    return (
        row["tenant_label"] if tenant is None else tenant,
        row["user_label"] if user is None else user,
    )


def _identifier(row: dict[str, Any], name: str) -> str | None:
    """Return the id as it was given: from an accepted session, else from the label, unless that is a hash."""
    given = row[f"{name}_id"]
    return identifier_of(row[f"{name}_label"]) if given is None else unescaped(given)

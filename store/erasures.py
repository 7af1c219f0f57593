"""The statements that erase. Each names whose rows; vectors and side rows go with LangGraph's row."""

from __future__ import annotations

from typing import LiteralString

_OF_SESSION: LiteralString = """
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
"""
_OF_PEOPLE: LiteralString = """
WHERE tenant_label = %(tenant)s AND user_label = ANY(%(users)s)
"""


def _of_session(statement: LiteralString, more: LiteralString = "") -> LiteralString:
    return statement + _OF_SESSION + more


def _of_people(statement: LiteralString, more: LiteralString = "") -> LiteralString:
    return statement + _OF_PEOPLE + more


_ROW_WITH_VECTORS: LiteralString = """
RETURNING s.prefix, s.key, s.value, s.created_at, s.updated_at,
          (SELECT count(*) FROM public.store_vectors v WHERE v.prefix = s.prefix AND v.key = s.key) AS vectors
"""

_TAKE_MEMORY: LiteralString = "DELETE FROM public.store s WHERE s.prefix = ANY(%(prefixes)s) AND s.key = %(key)s"
TAKE_MEMORY: LiteralString = _TAKE_MEMORY + _ROW_WITH_VECTORS
# Of a memory that is gone, by its history: the kind, and the events that its words came from, for each session.
TOLD_OF: LiteralString = """
SELECT kind, session_label, coalesce(array_agg(DISTINCT event_id) FILTER (WHERE event_id IS NOT NULL), '{}') AS events
FROM twofold.audit LEFT JOIN LATERAL unnest(event_ids) AS event_id ON action IN ('ADD', 'UPDATE')
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND key = %(key)s AND (before <> '' OR after <> '')
GROUP BY kind, session_label
"""
TAKE_OF_SESSION: LiteralString = (
    """
DELETE FROM public.store s USING twofold.memory m
WHERE s.prefix = ANY(%(prefixes)s) AND m.prefix = s.prefix AND m.key = s.key
  AND %(session)s = ANY(m.sessions) AND (cardinality(m.sessions) = 1 OR m.worded_by = %(session)s)
"""
    + _ROW_WITH_VECTORS
)
RESTING_ON_SESSION: LiteralString = """
SELECT s.prefix, s.key, s.value, s.created_at, s.updated_at
FROM public.store s JOIN twofold.memory m USING (prefix, key)
WHERE s.prefix = ANY(%(prefixes)s) AND %(session)s = ANY(m.sessions)
"""
SET_SOURCES: LiteralString = """
UPDATE public.store SET value = jsonb_set(value, '{sources}', %(sources)s)
WHERE prefix = %(prefix)s AND key = %(key)s
"""
DROP_SESSION: LiteralString = """
UPDATE twofold.memory SET sessions = array_remove(sessions, %(session)s)
WHERE prefix = %(prefix)s AND key = %(key)s
"""
EVENTS_OF_SESSION: LiteralString = _of_session(
    "SELECT entry ->> 'event_id' AS event_id FROM twofold.entry", "UNION "
) + _of_session("SELECT unnest(event_ids) FROM twofold.ledger")
DELETE_SOME_ENTRIES: LiteralString = _of_session(
    "DELETE FROM twofold.entry",
    "AND (event_label, part) IN (SELECT * FROM unnest(%(labels)s::text[], %(parts)s::int[]))",
)
DELETE_ENTRIES: LiteralString = _of_session("DELETE FROM twofold.entry")
DELETE_INBOX: LiteralString = _of_session("DELETE FROM twofold.inbox")
DELETE_LEDGER: LiteralString = _of_session("DELETE FROM twofold.ledger")
DELETE_KEPT: LiteralString = _of_session("DELETE FROM twofold.kept")
BLANK_AUDIT: LiteralString = """
UPDATE twofold.audit SET before = '', after = ''
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND key = %(key)s AND (before <> '' OR after <> '')
"""
# Its words also stand in the entries of later changes of the same memory, as what was before.
BLANK_WORDS_OF_SESSION: LiteralString = """
WITH said AS (
    SELECT DISTINCT key, after FROM twofold.audit
    WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
      AND action IN ('ADD', 'UPDATE') AND after <> '')
UPDATE twofold.audit a
SET before = CASE WHEN EXISTS (SELECT 1 FROM said WHERE said.key = a.key AND said.after = a.before)
                  THEN '' ELSE a.before END,
    after = CASE WHEN EXISTS (SELECT 1 FROM said WHERE said.key = a.key AND said.after = a.after)
                 THEN '' ELSE a.after END
WHERE a.tenant_label = %(tenant)s AND a.user_label = %(user)s
  AND EXISTS (SELECT 1 FROM said WHERE said.key = a.key AND said.after IN (a.before, a.after))
"""
BLANK_AUDIT_OF_SESSION: LiteralString = _of_session(
    "UPDATE twofold.audit SET before = '', after = '', session_id = '', event_ids = '{}'"
)
ADD_AUDIT: LiteralString = """
INSERT INTO twofold.audit (at, tenant_label, user_label, kind, key, action, session_label)
VALUES (%(now)s, %(tenant)s, %(user)s, %(kind)s, %(key)s, 'ERASE', '')
"""
BURY: LiteralString = """
INSERT INTO twofold.tombstone (tenant_label, user_label, session_label, kind, before, event_ids, erased_at)
VALUES (%(tenant)s, %(user)s, %(session)s, %(kind)s, %(before)s, %(event_ids)s, %(now)s)
"""

# In the order of their labels, so that two who lock the same people do not wait for each other.
ADD_PEOPLE: LiteralString = """
INSERT INTO twofold.scope (tenant_label, user_label, touched_on)
SELECT %(tenant)s, u, %(today)s FROM unnest(%(users)s::text[]) AS u ORDER BY u ON CONFLICT DO NOTHING
"""
LOCK_PEOPLE: LiteralString = _of_people("SELECT 1 FROM twofold.scope", "ORDER BY user_label FOR UPDATE")
DELETE_MEMORIES: LiteralString = """
WITH v AS (SELECT count(*) AS vectors FROM public.store_vectors WHERE prefix = ANY(%(prefixes)s)),
     gone AS (DELETE FROM public.store WHERE prefix = ANY(%(prefixes)s) RETURNING 1)
SELECT (SELECT count(*) FROM gone) AS memories, (SELECT vectors FROM v) AS vectors
"""
# What a host dated later than now, which `before` would let pass.
BURY_LATER: LiteralString = _of_people(
    """
INSERT INTO twofold.tombstone (tenant_label, user_label, session_label, event_ids, erased_at)
SELECT tenant_label, user_label, session_label, array_agg(DISTINCT entry ->> 'event_id'), %(now)s
FROM twofold.entry
""",
    "AND at > %(now)s GROUP BY 1, 2, 3",
)
# One that names events may name some that are dated later: it stays. So does one of an erase after this one began.
DELETE_TOMBSTONES: LiteralString = _of_people(
    "DELETE FROM twofold.tombstone", "AND event_ids = '{}' AND (before IS NULL OR before <= %(now)s)"
)
DELETE_AUDIT: LiteralString = _of_people("DELETE FROM twofold.audit", "AND action <> 'ERASE'")
DELETE_NOTES: LiteralString = _of_people("DELETE FROM twofold.audit", "AND action = 'ERASE'")
DELETE_ALL_ENTRIES: LiteralString = _of_people("DELETE FROM twofold.entry")
DELETE_ALL_INBOX: LiteralString = _of_people("DELETE FROM twofold.inbox")
DELETE_ALL_LEDGER: LiteralString = _of_people("DELETE FROM twofold.ledger")
DELETE_ALL_KEPT: LiteralString = _of_people("DELETE FROM twofold.kept")
NOTE_PEOPLE: LiteralString = """
INSERT INTO twofold.audit (at, tenant_label, user_label, kind, key, action, session_label)
SELECT %(now)s, %(tenant)s, unnest(%(users)s::text[]), '', '', 'ERASE', ''
"""
RAISE_PEOPLE: LiteralString = _of_people("UPDATE twofold.scope SET generation = generation + 1")

BURY_TENANT: LiteralString = """
INSERT INTO twofold.tombstone (tenant_label, before, erased_at) VALUES (%(tenant)s, %(now)s, %(now)s)
"""
DELETE_TENANTS_TOMBSTONES: LiteralString = """
DELETE FROM twofold.tombstone WHERE tenant_label = %(tenant)s AND user_label IS NULL AND before <= %(now)s
"""
# Whoever writes of somebody new to the tenant shares this until it is done, and whoever comes after sees the tombstone.
WAIT_FOR_NEWCOMERS: LiteralString = "SELECT pg_advisory_xact_lock(hashtextextended('twofold.scope/' || %(tenant)s, 0))"
PEOPLE_OF_TENANT: LiteralString = """
SELECT * FROM (
SELECT user_label FROM twofold.scope WHERE tenant_label = %(tenant)s
UNION SELECT user_label FROM twofold.inbox WHERE tenant_label = %(tenant)s
UNION SELECT user_label FROM twofold.ledger WHERE tenant_label = %(tenant)s
UNION SELECT user_label FROM twofold.kept WHERE tenant_label = %(tenant)s
UNION SELECT user_label FROM twofold.audit WHERE tenant_label = %(tenant)s
UNION SELECT split_part(prefix, '.', 3) FROM public.store
      WHERE starts_with(prefix, %(tenant)s || '.semantic.') OR starts_with(prefix, %(tenant)s || '.episodic.')
UNION SELECT split_part(lock, '/', 2) FROM twofold.procrastinate_jobs
      WHERE queue_name = %(queue)s AND starts_with(lock, %(tenant)s || '/')
) AS people WHERE user_label <> '' ORDER BY user_label
"""

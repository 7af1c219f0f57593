"""The statements that erase. Each names its scope; vectors and side rows go with LangGraph's row."""

from __future__ import annotations

from typing import LiteralString

TAKE_MEMORY: LiteralString = """
DELETE FROM public.store WHERE prefix = ANY(%(prefixes)s) AND key = %(key)s
RETURNING prefix, key, value, created_at, updated_at
"""
TAKE_OF_SESSION: LiteralString = """
DELETE FROM public.store s USING twofold.memory m
WHERE s.prefix = ANY(%(prefixes)s) AND m.prefix = s.prefix AND m.key = s.key
  AND %(session)s = ANY(m.sessions) AND (cardinality(m.sessions) = 1 OR m.worded_by = %(session)s)
RETURNING s.prefix, s.key, s.value, s.created_at, s.updated_at
"""
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
EVENTS_OF_SESSION: LiteralString = """
SELECT entry ->> 'event_id' AS event_id FROM twofold.entry
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
UNION
SELECT unnest(event_ids) FROM twofold.ledger
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
"""
EVENTS_DATED_LATER: LiteralString = """
SELECT DISTINCT entry ->> 'event_id' AS event_id FROM twofold.entry
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND at > %(now)s
"""
DELETE_MEMORIES: LiteralString = """
DELETE FROM public.store WHERE prefix = ANY(%(prefixes)s)
"""
DELETE_INBOX: LiteralString = """
DELETE FROM twofold.inbox
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
"""
DELETE_LEDGER: LiteralString = """
DELETE FROM twofold.ledger
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
"""
DELETE_KEPT: LiteralString = """
DELETE FROM twofold.kept
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
"""
DELETE_ALL_INBOX: LiteralString = """
DELETE FROM twofold.inbox WHERE tenant_label = %(tenant)s AND user_label = %(user)s
"""
DELETE_ALL_LEDGER: LiteralString = """
DELETE FROM twofold.ledger WHERE tenant_label = %(tenant)s AND user_label = %(user)s
"""
DELETE_ALL_KEPT: LiteralString = """
DELETE FROM twofold.kept WHERE tenant_label = %(tenant)s AND user_label = %(user)s
"""
DELETE_TOMBSTONES: LiteralString = """
DELETE FROM twofold.tombstone WHERE tenant_label = %(tenant)s AND user_label = %(user)s
"""
DELETE_AUDIT: LiteralString = """
DELETE FROM twofold.audit WHERE tenant_label = %(tenant)s AND user_label = %(user)s
"""
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
BLANK_AUDIT_OF_SESSION: LiteralString = """
UPDATE twofold.audit SET before = '', after = '', session_id = '', event_ids = '{}'
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
"""
ADD_AUDIT: LiteralString = """
INSERT INTO twofold.audit (at, tenant_label, user_label, kind, key, action, session_label)
VALUES (%(now)s, %(tenant)s, %(user)s, %(kind)s, %(key)s, 'ERASE', '')
"""
BURY: LiteralString = """
INSERT INTO twofold.tombstone (tenant_label, user_label, session_label, kind, before, event_ids, erased_at)
VALUES (%(tenant)s, %(user)s, %(session)s, %(kind)s, %(before)s, %(event_ids)s, %(now)s)
"""

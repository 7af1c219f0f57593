"""The statements that erase. Each names its scope; vectors and side rows go with LangGraph's row."""

from __future__ import annotations

from typing import LiteralString

_PERSON: LiteralString = "tenant_label = %(tenant)s AND user_label = %(user)s"
_SESSION: LiteralString = f"{_PERSON} AND session_label = %(session)s"

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
EVENTS_OF_SESSION: LiteralString = f"""
SELECT entry ->> 'event_id' AS event_id
FROM twofold.inbox, jsonb_array_elements(transcript) AS entry WHERE {_SESSION}
UNION
SELECT unnest(event_ids) FROM twofold.ledger WHERE {_SESSION}
"""
TRANSCRIPTS_DATED_LATER: LiteralString = f"""
SELECT transcript FROM twofold.inbox WHERE {_PERSON} AND newest_event_at > %(now)s
"""
DELETE_MEMORIES: LiteralString = "DELETE FROM public.store WHERE prefix = ANY(%(prefixes)s)"
DELETE_INBOX: LiteralString = f"DELETE FROM twofold.inbox WHERE {_SESSION}"
DELETE_LEDGER: LiteralString = f"DELETE FROM twofold.ledger WHERE {_SESSION}"
DELETE_KEPT: LiteralString = f"DELETE FROM twofold.kept WHERE {_SESSION}"
DELETE_ALL_INBOX: LiteralString = f"DELETE FROM twofold.inbox WHERE {_PERSON}"
DELETE_ALL_LEDGER: LiteralString = f"DELETE FROM twofold.ledger WHERE {_PERSON}"
DELETE_ALL_KEPT: LiteralString = f"DELETE FROM twofold.kept WHERE {_PERSON}"
DELETE_TOMBSTONES: LiteralString = f"DELETE FROM twofold.tombstone WHERE {_PERSON}"
DELETE_AUDIT: LiteralString = f"DELETE FROM twofold.audit WHERE {_PERSON}"
BLANK_AUDIT: LiteralString = f"""
UPDATE twofold.audit SET before = '', after = ''
WHERE {_PERSON} AND key = %(key)s AND (before <> '' OR after <> '')
"""
# Its words also stand in the entries of later changes of the same memory, as what was before.
BLANK_WORDS_OF_SESSION: LiteralString = f"""
WITH said AS (
    SELECT DISTINCT key, after FROM twofold.audit WHERE {_SESSION} AND action IN ('ADD', 'UPDATE') AND after <> '')
UPDATE twofold.audit a
SET before = CASE WHEN a.before = said.after THEN '' ELSE a.before END,
    after = CASE WHEN a.after = said.after THEN '' ELSE a.after END
FROM said
WHERE a.tenant_label = %(tenant)s AND a.user_label = %(user)s AND a.key = said.key
  AND said.after IN (a.before, a.after)
"""
BLANK_AUDIT_OF_SESSION: LiteralString = f"""
UPDATE twofold.audit SET before = '', after = '', session_id = '', event_ids = '{{}}' WHERE {_SESSION}
"""
ADD_AUDIT: LiteralString = """
INSERT INTO twofold.audit (at, tenant_label, user_label, kind, key, action, session_label)
VALUES (%(now)s, %(tenant)s, %(user)s, %(kind)s, %(key)s, 'ERASE', '')
"""
BURY: LiteralString = """
INSERT INTO twofold.tombstone (tenant_label, user_label, session_label, kind, before, event_ids, erased_at)
VALUES (%(tenant)s, %(user)s, %(session)s, %(kind)s, %(before)s, %(event_ids)s, %(now)s)
"""

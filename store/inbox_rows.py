"""The statements on `twofold.inbox` and what their rows are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

# What has expired counts as empty; what still waits never expires.
FIND: LiteralString = """
SELECT revision, done_revision,
       coalesce(expires_at <= %(now)s AND revision <= greatest(done_revision, failed_revision), false) AS expired
FROM twofold.inbox
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
"""
FIND_LOCKED: LiteralString = f"{FIND}FOR UPDATE"
# With the last erase of all that was accepted of it: a session of that id that is accepted later is another one.
LOAD: LiteralString = """
SELECT revision, done_revision,
       coalesce(expires_at <= %(now)s AND revision <= greatest(done_revision, failed_revision), false) AS expired,
       (SELECT coalesce(max(id), 0) FROM twofold.tombstone t
        WHERE t.tenant_label = %(tenant)s AND (t.user_label = %(user)s OR t.user_label IS NULL)
          AND (t.session_label = %(session)s OR t.session_label IS NULL)
          AND t.kind IS NULL AND t.before IS NOT NULL) AS last_erase
FROM twofold.inbox
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
"""
ADD: LiteralString = """
INSERT INTO twofold.inbox
    (tenant_label, user_label, session_label, tenant_id, user_id, session_id, accepted_at)
VALUES (%(tenant)s, %(user)s, %(session)s, %(tenant_id)s, %(user_id)s, %(session_id)s, %(now)s)
ON CONFLICT DO NOTHING
"""
UPDATE: LiteralString = """
UPDATE twofold.inbox
SET revision = %(revision)s, accepted_at = %(now)s, expires_at = %(expires_at)s, reason = '',
    waiting_since = CASE WHEN revision > greatest(done_revision, failed_revision)
                         THEN coalesce(waiting_since, accepted_at) ELSE %(now)s END
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
"""
KNOWN: LiteralString = """
SELECT event_label, part, entry ? 'seconds' AS timed FROM twofold.entry
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
"""
EMPTY: LiteralString = """
DELETE FROM twofold.entry
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
"""
# The entries go as text in binary form: psycopg looks for what to escape in each element of a list otherwise.
ADD_ENTRIES: LiteralString = """
INSERT INTO twofold.entry (tenant_label, user_label, session_label, event_label, part, at, entry)
SELECT %(tenant)s, %(user)s, %(session)s, n.event_label, n.part, n.at, n.entry
FROM unnest(%(labels)s::text[], %(parts)s::int[], %(times)b::timestamptz[], %(entries)b::text[]::jsonb[])
     WITH ORDINALITY AS n (event_label, part, at, entry, number)
ORDER BY n.number
ON CONFLICT (tenant_label, user_label, session_label, event_label, part)
DO UPDATE SET at = excluded.at, entry = excluded.entry
"""
ENTRIES: LiteralString = """
SELECT entry FROM twofold.entry
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
ORDER BY at, seq
"""
STATE: LiteralString = """
SELECT revision, done_revision, failed_revision, reason, error
FROM twofold.inbox
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
"""
DONE: LiteralString = """
UPDATE twofold.inbox
SET done_revision = greatest(done_revision, %(revision)s), reason = %(reason)s, error = '', failed_at = NULL,
    waiting_since = CASE WHEN revision > %(revision)s THEN accepted_at END
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
  AND NOT EXISTS (
    SELECT 1 FROM twofold.tombstone t
    WHERE t.tenant_label = %(tenant)s AND (t.user_label = %(user)s OR t.user_label IS NULL)
      AND (t.session_label = %(session)s OR t.session_label IS NULL)
      AND t.kind IS NULL AND t.before IS NOT NULL AND t.id > %(last_erase)s)
"""
FAILED: LiteralString = """
UPDATE twofold.inbox
SET failed_revision = greatest(failed_revision, %(revision)s), error = %(error)s, failed_at = %(now)s
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
  AND revision >= %(revision)s  -- else it was erased meanwhile, and this is another session of that id
"""
PENDING: LiteralString = """
WITH pending AS MATERIALIZED (
    SELECT revision > failed_revision AS waits, coalesce(waiting_since, accepted_at) AS since,
           session_id, error, failed_at, accepted_at
    FROM twofold.inbox
    WHERE revision > done_revision
      AND (%(tenant)s::text IS NULL OR (tenant_label = %(tenant)s AND user_label = %(user)s))
      AND (%(tenants)s::text[] IS NULL OR tenant_label = ANY(%(tenants)s))
      AND (%(session)s::text IS NULL OR session_label = %(session)s)
), failing AS (
    SELECT session_id, error, failed_at FROM pending WHERE error <> ''
    ORDER BY failed_at DESC NULLS LAST, accepted_at DESC LIMIT 1
)
SELECT count(*) FILTER (WHERE waits) AS waiting,
       count(*) FILTER (WHERE NOT waits) AS failed,
       min(since) FILTER (WHERE waits) AS oldest_at,
       (SELECT session_id FROM failing) AS failing_session,
       coalesce((SELECT error FROM failing), '') AS error,
       (SELECT failed_at FROM failing) AS failed_at
FROM pending
"""
WAITING: LiteralString = """
SELECT tenant_id, user_id, session_id, revision
FROM twofold.inbox
WHERE revision > done_revision AND revision > failed_revision
  AND (%(tenant)s::text IS NULL OR (tenant_label = %(tenant)s AND user_label = %(user)s))
  AND (%(tenants)s::text[] IS NULL OR tenant_label = ANY(%(tenants)s))
  AND (%(session)s::text IS NULL OR session_label = %(session)s)
ORDER BY accepted_at
"""
TRY_ANEW: LiteralString = """
UPDATE twofold.inbox SET failed_revision = 0
WHERE revision > done_revision AND revision <= failed_revision
  AND (%(tenant)s::text IS NULL OR (tenant_label = %(tenant)s AND user_label = %(user)s))
  AND (%(tenants)s::text[] IS NULL OR tenant_label = ANY(%(tenants)s))
  AND (%(session)s::text IS NULL OR session_label = %(session)s)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxRow:
    """One accepted session."""

    revision: int
    done_revision: int
    expired: bool
    last_erase: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingRow:
    """One session that waits, by its ids as they were given, escaped."""

    tenant_id: str
    user_id: str
    session_id: str
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState:
    """How far an accepted session got. `reason` says why there was nothing to store, `error` what failed last."""

    revision: int
    done_revision: int
    failed_revision: int
    reason: str
    error: str

    def done(self, revision: int) -> bool:
        """Whether this revision is stored, or needed no storing."""
        return self.done_revision >= revision

    def given_up(self, revision: int) -> bool:
        """Whether saving this revision was given up: a dead letter."""
        return not self.done(revision) and self.failed_revision >= revision


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """How many accepted sessions wait, since when the oldest does, and how many were given up.

    `error` is why a save of them failed last, empty if none did: at `failed_at` (None: unknown), of `failing_session`.
    """

    waiting: int
    failed: int
    oldest_at: datetime | None
    failing_session: str | None = None
    error: str = ""
    failed_at: datetime | None = None

"""What has to be true of the database in the end: everything that was accepted, once, and nothing left over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.rows import DictRow, dict_row

from tests.soak.sessions import Session
from twofold.memory.scope import label, namespace

_MEMORIES = """
SELECT key, value ->> 'text' AS text, value -> 'content' -> 'runs' AS runs,
       (SELECT array_agg(DISTINCT source ->> 'session_id') FROM jsonb_array_elements(value -> 'sources') AS source)
           AS sessions
FROM public.store WHERE prefix = %s
"""
_AUDIT = """
SELECT key, kind, action, after FROM twofold.audit
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s AND action <> 'NOOP'
"""
_INBOX = """
SELECT revision, done_revision, failed_revision FROM twofold.inbox
WHERE tenant_label = %(tenant)s AND user_label = %(user)s AND session_label = %(session)s
"""
_KEPT = "SELECT part FROM twofold.kept WHERE user_label = %(user)s AND session_label = %(session)s"
_ENTRIES = "SELECT 1 FROM twofold.entry WHERE user_label = %(user)s AND session_label = %(session)s"
_ALL_AUDIT = """
SELECT key, kind, action, after, session_id FROM twofold.audit
WHERE tenant_label = %(tenant)s AND user_label = %(user)s ORDER BY id
"""
_JOBS = "SELECT status::text AS status FROM twofold.procrastinate_jobs WHERE args ->> 'session_id' = %(session)s"
_WAITING = """
SELECT (SELECT count(*) FROM twofold.inbox
        WHERE revision > done_revision AND revision > failed_revision AND session_id <> %(but)s)
     + (SELECT count(*) FROM twofold.procrastinate_jobs
        WHERE status IN ('todo', 'doing') AND args ->> 'session_id' <> %(but)s) AS waiting
"""


@dataclass(frozen=True, slots=True)
class Found:
    """What the database holds of one session."""

    facts: list[str]
    episodes: list[DictRow]
    audit: list[DictRow]
    inbox: list[DictRow]
    left: list[DictRow]
    entries: int

    @property
    def nothing(self) -> bool:
        """Whether there is no trace of it."""
        return not (self.facts or self.episodes or self.audit or self.inbox or self.left or self.entries)


def waiting(url: str, *, but: str = "") -> int:
    """Return how many sessions and jobs wait, but for one. Raises psycopg.OperationalError while the server is away."""
    with psycopg.connect(url, row_factory=dict_row) as connection:
        row = connection.execute(_WAITING, {"but": but}).fetchone()
    return int(row["waiting"]) if row else 0


def found(url: str, session: Session) -> Found:
    """Read all of one session."""
    which: dict[str, Any] = {
        "tenant": label(session.scope.tenant_id),
        "user": label(session.scope.user_id),
        "session": label(session.name),
    }
    facts, episodes = (".".join(namespace(session.scope, kind)) for kind in ("semantic", "episodic"))
    with psycopg.connect(url, row_factory=dict_row) as connection:

        def rows(statement: Any, given: Any = which) -> list[DictRow]:
            return connection.execute(statement, given).fetchall()

        return Found(
            facts=sorted(row["text"] for row in rows(_MEMORIES, (facts,)) if session.name in row["sessions"]),
            episodes=[row for row in rows(_MEMORIES, (episodes,)) if session.name in row["sessions"]],
            audit=rows(_AUDIT),
            inbox=rows(_INBOX),
            left=[*rows(_KEPT), *rows(_JOBS, {"session": session.name})],
            entries=len(rows(_ENTRIES)),
        )


def problems(url: str, session: Session, parts: int) -> list[str]:
    """Return what is lost, doubled or left of a session that was accepted up to a part; nothing where all is well."""
    stored = found(url, session)
    return [f"{session.name}: {problem}" for problem in _problems(stored, session, parts)]


def _problems(stored: Found, session: Session, parts: int) -> Iterator[str]:
    expected = session.expected(parts)
    if stored.facts != expected:
        lost, more = Counter(expected) - Counter(stored.facts), Counter(stored.facts) - Counter(expected)
        yield f"facts lost: {sorted(lost.elements())}, doubled or strange: {sorted(more.elements())}"
    keys = [row["key"] for row in stored.episodes]
    if keys != ([session.episode] if session.episode else []):
        yield f"episodes {keys}, expected {session.episode}"
    steps = sum(len(run["steps"]) for row in stored.episodes for run in row["runs"] or ())
    if session.tools and steps != parts:
        yield f"its episode tells {steps} steps, expected {parts}"
    if [row["done_revision"] == row["revision"] for row in stored.inbox] != [True]:
        yield f"inbox: {stored.inbox}"
    if stored.left:
        yield f"left over: {stored.left}"
    yield from _audit_problems(stored, session, parts)


def _audit_problems(stored: Found, session: Session, parts: int) -> Iterator[str]:
    facts = [row for row in stored.audit if row["kind"] == "semantic"]
    if sorted(row["after"] for row in facts) != session.expected(parts) or {row["action"] for row in facts} - {"ADD"}:
        yield f"audit of facts: {[(row['action'], row['after']) for row in facts]}"
    episodes = [row["action"] for row in stored.audit if row["kind"] == "episodic"]
    grown = ["ADD", *["UPDATE"] * (len(episodes) - 1)] if session.tools else []
    if episodes != grown or len(episodes) > parts:
        yield f"audit of the episode: {episodes}"


def user_problems(url: str, sessions: Sequence[Session], *, sources: bool) -> list[str]:
    """Return what is lost or doubled of one person whose sessions may say the same.

    With `sources` each session that says a fact has to be among its sources, and to have its line in the history.
    """
    person = {"tenant": label(sessions[0].scope.tenant_id), "user": label(sessions[0].scope.user_id)}
    facts, episodes = (".".join(namespace(sessions[0].scope, kind)) for kind in ("semantic", "episodic"))
    with psycopg.connect(url, row_factory=dict_row) as connection:
        stored = connection.execute(_MEMORIES, (facts,)).fetchall()
        told = connection.execute(_MEMORIES, (episodes,)).fetchall()
        audit = connection.execute(_ALL_AUDIT, person).fetchall()
    said = {
        text: {one.name for one in sessions if text in one.expected()} for each in sessions for text in each.expected()
    }
    problems = []
    if sorted(row["text"] for row in stored) != sorted(said):
        problems.append(f"facts {sorted(row['text'] for row in stored)}, expected {sorted(said)}")
    if sorted(row["key"] for row in told) != sorted(each.episode for each in sessions if each.episode):
        problems.append(f"{len(told)} episodes of {len(sessions)} sessions")
    added = Counter(row["after"] for row in audit if row["kind"] == "semantic" and row["action"] == "ADD")
    if added != Counter(said.keys()):
        problems.append(f"added {added}, expected each once")
    changed = {row["action"] for row in audit} - {"ADD", "NOOP"}
    if changed:
        problems.append(f"the history tells {changed}")
    for row in stored if sources else ():
        lines = {line["session_id"] for line in audit if line["key"] == row["key"]}
        if not set(row["sessions"]) == lines == said.get(row["text"]):
            problems.append(f"{row['text']!r} rests on {row['sessions']}, its history on {lines}")
    return problems

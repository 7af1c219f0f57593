"""Source databases of a backfill, made by ADK, and all that a backfill leaves behind."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_OID, uuid5

import psycopg
from google.adk.events.event import Event
from psycopg import sql

from tests.stored_sessions import JANUARY, close, kept, talk

# When something was done, and numbers the database gives out.
_OF_THE_RUN = ("accepted_at", "expires_at", "created_at", "updated_at", "touched_on", "at", "id", "seq", "ttl_minutes")
_TABLES = """
SELECT schemaname, tablename FROM pg_tables
WHERE (schemaname = 'twofold' OR tablename IN ('store', 'store_vectors'))
  AND tablename NOT LIKE 'procrastinate%' AND tablename NOT LIKE '%migration%' AND tablename NOT LIKE '%yoyo%'
  AND tablename <> 'embedder'
"""


@dataclass(frozen=True, kw_only=True)
class Talked:
    """A session that ADK keeps."""

    session_id: str
    events: Sequence[Event]
    app: str = "month_end"
    user: str = "anna"


def source(kind: str, folder: Path, url: str, sessions: Sequence[Talked]) -> str:
    """Have ADK keep sessions, and return the address under which they are found."""

    async def written() -> str:
        async with kept(kind, folder, url) as lent:
            for each in sessions:
                await lent.keep(each.session_id, each.events, app=each.app, user=each.user)
        return lent.address

    return asyncio.run(written())


def month_ends(users: int, sessions: int) -> list[Talked]:
    """Return sessions of some people, of ids in no order: what they say is corrected by what they say later."""
    talked = []
    for user in range(users):
        for number in range(sessions):
            at, mark = JANUARY + timedelta(days=number, hours=user), f"{user}-{number}"
            said = talk(f"t{mark}", f"My ledger is Ledger {number // 2}. My company is {1000 + number}.", at)
            done = close(
                f"c{mark}", f"2026-{number:02}", "open subledgers" if number % 3 else None, at + timedelta(hours=1)
            )
            session_id = str(uuid5(NAMESPACE_OID, mark))
            talked.append(Talked(session_id=session_id, events=[*said, *done], user=f"user-{user}"))
    return talked


def content(url: str) -> dict[str, list[Any]]:
    """Return every row that is kept of anyone, without the times and numbers of the run; the audit in its order."""
    with psycopg.connect(url) as connection:
        found = {}
        for schema, table in connection.execute(_TABLES).fetchall():
            query = sql.SQL("SELECT to_jsonb(t) - %s::text[] FROM {} t ORDER BY {}")
            order = sql.SQL("tenant_label, user_label, id") if table == "audit" else sql.SQL("1")
            rows = connection.execute(query.format(sql.Identifier(schema, table), order), (list(_OF_THE_RUN),))
            found[table] = [row for (row,) in rows]
    return found

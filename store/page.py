"""List memories page by page, the newest event first, and never by counting: each page begins where one ended."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString

from psycopg.rows import class_row

from twofold.memory.errors import InvalidInput
from twofold.memory.memories import Page, Position
from twofold.memory.scope import Kind, Scope
from twofold.memory.times import checked_time
from twofold.store.pool import Connection
from twofold.store.rows import StoreRow, kind_of, memory_of, prefix_of, prefixes_of
from twofold.store.storable import checked_text

# Keys first: the values of whole memories are not carried through the sort. The words of a row are those that
# `rows.memory_of` reads; one that stock code wrote has no `text`.
_PAGE: LiteralString = r"""
WITH chosen AS (
    SELECT s.prefix, s.key, coalesce(m.event_at, s.updated_at) AS at
    FROM public.store s LEFT JOIN twofold.memory m USING (prefix, key)
    WHERE s.prefix = ANY(%(prefixes)s) AND (s.expires_at IS NULL OR s.expires_at > %(now)s)
      AND (%(since)s::timestamptz IS NULL OR coalesce(m.event_at, s.updated_at) >= %(since)s)
      AND (%(until)s::timestamptz IS NULL OR coalesce(m.event_at, s.updated_at) < %(until)s)
      AND (%(after_at)s::timestamptz IS NULL
           OR (coalesce(m.event_at, s.updated_at), s.key, s.prefix) < (%(after_at)s, %(after_key)s, %(after_prefix)s))
      AND (%(text)s::text IS NULL OR strpos(lower(
        CASE
            WHEN jsonb_typeof(s.value -> 'text') = 'string' AND s.value ->> 'text' <> '' THEN s.value ->> 'text'
            WHEN jsonb_typeof(coalesce(s.value -> 'content', s.value)) <> 'object' THEN s.value ->> 'content'
            WHEN jsonb_typeof(s.value #> '{content,content}') = 'string' AND s.value #>> '{content,content}' <> ''
                THEN s.value #>> '{content,content}'
            ELSE (SELECT string_agg(said.key || ': ' || said.value, E'\n')
                  FROM jsonb_each_text(coalesce(s.value -> 'content', s.value)) said WHERE said.value <> '')
        END), lower(%(text)s)) > 0)
    ORDER BY at DESC, s.key DESC, s.prefix DESC LIMIT %(limit)s)
SELECT s.prefix, s.key, s.value, s.created_at, s.updated_at, c.at
FROM chosen c JOIN public.store s USING (prefix, key)
ORDER BY c.at DESC, c.key DESC, c.prefix DESC
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """What is listed: of one kind or of both, with these words, of events since and before, after a position."""

    kind: Kind | None = None
    text: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    after: Position | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class _ListedRow(StoreRow):
    at: datetime


async def page(connection: Connection, scope: Scope, listed: Listed, now: datetime) -> Page:
    """Return at most `limit` unexpired memories and where the next page begins.

    Raises InvalidInput for a limit below 1, a time without its zone, and a text no memory can hold.
    """
    chosen = {**_checked(listed), **_after(scope, listed.after), "prefixes": _prefixes(scope, listed.kind), "now": now}
    async with connection.cursor(row_factory=class_row(_ListedRow)) as cursor:
        rows = await (await cursor.execute(_PAGE, chosen)).fetchall()
    shown = rows[: listed.limit]
    last = shown[-1] if len(rows) > listed.limit else None
    return Page(
        memories=tuple(memory_of(row) for row in shown),
        next=None if last is None else Position(at=last.at, key=last.key, kind=kind_of(last.prefix)),
    )


def _checked(listed: Listed) -> dict[str, Any]:
    if listed.limit < 1:
        raise InvalidInput(f"limit: {listed.limit} is below 1")
    return {
        "since": _time("since", listed.since),
        "until": _time("until", listed.until),
        "text": checked_text("text", listed.text) if listed.text else None,
        "limit": listed.limit + 1,  # one more tells whether there is a next page
    }


def _time(name: str, time: datetime | None) -> datetime | None:
    return None if time is None else checked_time(name, time)


def _after(scope: Scope, after: Position | None) -> dict[str, Any]:
    if after is None:
        return {"after_at": None, "after_key": None, "after_prefix": None}
    return {
        "after_at": checked_time("after", after.at),
        "after_key": checked_text("after", after.key),
        "after_prefix": prefix_of(scope, after.kind),
    }


def _prefixes(scope: Scope, kind: Kind | None) -> list[str]:
    return list(prefixes_of(scope)) if kind is None else [prefix_of(scope, kind)]

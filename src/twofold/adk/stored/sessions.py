"""The sessions of one database, page by page and in order of time for each person."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from google.adk.events.event import Event

from twofold.adk.stored.events import UnreadableEvent, event_of
from twofold.adk.stored.rows import Rows
from twofold.adk.stored.schema import check_schema
from twofold.adk.transcript import entries_of
from twofold.memory.clean import clean_text
from twofold.memory.redaction import Redactor
from twofold.memory.transcript import Entry, merge

logger = logging.getLogger(__name__)

SESSIONS_A_PAGE = 500
EVENTS_A_PAGE = 100
"""Few, as an event may hold a picture."""
EVENTS_A_PART = 2_000
CHARACTERS_A_PART = 8_000_000

_COUNT = "SELECT count(*) FROM sessions"
# Each person's sessions in the order they ended: a later one may correct what an earlier one said. The primary key
# begins like this order, so that a page costs what it holds.
_SESSIONS = "SELECT app_name, user_id, id, update_time FROM sessions"
_IN_ORDER = " ORDER BY app_name, user_id, update_time, id LIMIT :limit"
_AFTER = "(app_name, user_id, update_time, id) > (:after_app, :after_user, :after_time, :after_id)"
_EVENTS = """
SELECT id, invocation_id, timestamp, CAST(event_data AS text) FROM events
WHERE app_name = :app AND user_id = :user AND session_id = :session
"""
_EVENTS_IN_ORDER = " ORDER BY timestamp, id LIMIT :limit"
_AFTER_EVENT = " AND (timestamp, id) > (:after_time, :after_id)"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFilter:
    """Which sessions: of an app, of a user, and those that went on at a time or later. None = all."""

    app_name: str | None = None
    user_id: str | None = None
    since: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPart:
    """Some events of one session, in order: what they come to, redacted, and how many there were.

    A session of usual length is one part, the `first` and the `last`. `unreadable` events are left out.
    """

    app_name: str
    user_id: str
    session_id: str
    first: bool
    last: bool
    entries: tuple[Entry, ...]
    events: int
    unreadable: int


class StoredSessions:
    """The sessions of one database that a filter lets through."""

    def __init__(self, rows: Rows, chosen: SessionFilter, redactor: Redactor) -> None:
        """Look at the database. Raises InvalidInput for a schema that cannot be read, StoreUnavailable."""
        check_schema(rows)
        self._rows = rows
        self._redactor = redactor
        self._conditions, self._parameters = _conditions(rows, chosen)

    def count(self) -> int:
        """Return how many sessions there are now."""
        return int(self._rows.all(_COUNT + _where(self._conditions), self._parameters)[0][0])

    def parts(self) -> Iterator[SessionPart]:
        """Yield every session, in parts; one that goes on meanwhile may come again. Raises StoreUnavailable."""
        after: dict[str, object] = {}
        while page := self._page(after):
            for session in page:
                yield from self._parts(*session[:3])
            app_name, user_id, session_id, time = page[-1]
            after = {"after_app": app_name, "after_user": user_id, "after_time": time, "after_id": session_id}

    def _page(self, after: dict[str, object]) -> Sequence[tuple[Any, ...]]:
        conditions = [*self._conditions, _AFTER] if after else self._conditions
        parameters = {**self._parameters, **after, "limit": SESSIONS_A_PAGE}
        return self._rows.all(_SESSIONS + _where(conditions) + _IN_ORDER, parameters)

    def _parts(self, app_name: str, user_id: str, session_id: str) -> Iterator[SessionPart]:
        rows: list[tuple[Any, ...]] = []
        first = True
        for page in self._events(app_name, user_id, session_id):
            if rows and (len(rows) >= EVENTS_A_PART or sum(len(row[3] or "") for row in rows) >= CHARACTERS_A_PART):
                yield self._part((app_name, user_id, session_id), rows, first=first, last=False)
                rows, first = [], False
            rows += page
        yield self._part((app_name, user_id, session_id), rows, first=first, last=True)

    def _events(self, app_name: str, user_id: str, session_id: str) -> Iterator[Sequence[tuple[Any, ...]]]:
        session = {"app": app_name, "user": user_id, "session": session_id, "limit": EVENTS_A_PAGE}
        page = self._rows.all(_EVENTS + _EVENTS_IN_ORDER, session)
        while page:
            yield page
            if len(page) < EVENTS_A_PAGE:
                return
            after = {"after_time": page[-1][2], "after_id": page[-1][0]}
            page = self._rows.all(_EVENTS + _AFTER_EVENT + _EVENTS_IN_ORDER, {**session, **after})

    def _part(
        self, whose: tuple[str, str, str], rows: Sequence[tuple[Any, ...]], *, first: bool, last: bool
    ) -> SessionPart:
        app_name, user_id, session_id = whose
        events = [event for row in rows if (event := self._event(whose, row)) is not None]
        return SessionPart(
            app_name=app_name,
            user_id=user_id,
            session_id=clean_text(session_id),
            first=first,
            last=last,
            entries=merge((), entries_of(events, self._redactor)),
            events=len(rows),
            unreadable=len(rows) - len(events),
        )

    def _event(self, whose: tuple[str, str, str], row: tuple[Any, ...]) -> Event | None:
        event_id, invocation_id, time, data = row
        try:
            return event_of(event_id, invocation_id or "", self._rows.seconds(time), data)
        except UnreadableEvent as error:
            logger.warning(
                "Event %s of session %s (app %s, user %s) cannot be read and is left out: %s",
                *(event_id, whose[2], whose[0], whose[1], error),
            )
            return None


def _conditions(rows: Rows, chosen: SessionFilter) -> tuple[list[str], dict[str, object]]:
    conditions: dict[str, tuple[str, object]] = {}
    if chosen.app_name is not None:
        conditions["app_name = :app"] = ("app", chosen.app_name)
    if chosen.user_id is not None:
        conditions["user_id = :user"] = ("user", chosen.user_id)
    if chosen.since is not None:
        conditions["update_time >= :since"] = ("since", rows.stored(chosen.since))
    return list(conditions), dict(conditions.values())


def _where(conditions: Sequence[str]) -> str:
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""

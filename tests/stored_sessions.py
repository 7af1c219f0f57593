"""Sessions kept by ADK's own services, to be read back without them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from google.adk.events.event import Event
from google.adk.sessions.base_session_service import BaseSessionService
from google.adk.sessions.database_session_service import DatabaseSessionService
from google.adk.sessions.sqlite_session_service import SqliteSessionService

from tests.unit.adk.shapes import call, event, response, text

KINDS = ("postgres", "sqlite", "adk file")
JANUARY = datetime(2026, 1, 5, 9, 30, 0, 123456, tzinfo=UTC)


@dataclass(frozen=True)
class Kept:
    """A service that keeps sessions, and the address under which they are found."""

    service: BaseSessionService
    address: str

    async def keep(
        self, session_id: str, events: Sequence[Event], *, app: str = "month_end", user: str = "anna"
    ) -> None:
        """Keep a session as ADK's runner does: event by event."""
        session = await self.service.create_session(app_name=app, user_id=user, session_id=session_id)
        for each in events:
            await self.service.append_event(session, each)


@asynccontextmanager
async def kept(kind: str, folder: Path, database_url: str) -> AsyncIterator[Kept]:
    """Lend a service that keeps sessions in a database of this kind."""
    if kind == "adk file":
        home = folder / "agents" / "month_end" / ".adk"
        home.mkdir(parents=True)
        yield Kept(SqliteSessionService(str(home / "session.db")), str(folder / "agents"))
        return
    file = f"sqlite+aiosqlite:///{folder / 'sessions.db'}"
    address = file if kind == "sqlite" else database_url.replace("postgresql://", "postgresql+psycopg://")
    async with DatabaseSessionService(address) as service:
        yield Kept(service, address)


def talk(mark: str, said: str, at: datetime = JANUARY) -> list[Event]:
    """Return a turn: what the user said, and the answer, a second later."""
    return [
        event(text(said), author="user", id=f"u-{mark}", invocation_id=mark, timestamp=at.timestamp()),
        event(text("Noted."), id=f"a-{mark}", invocation_id=mark, timestamp=(at + timedelta(seconds=1)).timestamp()),
    ]


def close(mark: str, period: str, reason: str | None = None, at: datetime = JANUARY) -> list[Event]:
    """Return a request whose one tool call succeeds, or fails for a reason."""
    shared = {"invocation_id": mark}
    payload = {"status": "ok"} if reason is None else {"error": reason}
    stamps = [(at + timedelta(seconds=number)).timestamp() for number in range(4)]
    tool, call_id = "close_period", f"c-{mark}"
    return [
        event(text(f"Close {period}."), author="user", id=f"u-{mark}", timestamp=stamps[0], **shared),
        event(call(tool, call_id, period=period), id=f"c-{mark}", timestamp=stamps[1], **shared),
        event(response(tool, payload, call_id), id=f"r-{mark}", timestamp=stamps[2], **shared),
        event(text("Done."), id=f"a-{mark}", timestamp=stamps[3], **shared),
    ]

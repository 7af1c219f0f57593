"""Sessions whose memories are known beforehand: each user turn is a fact, and its tool calls are one episode."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from twofold.memory.keys import episode_key
from twofold.memory.scope import Scope
from twofold.memory.transcript import Entry, Transcript
from twofold.nodes.plain import ENTRIES, plain

AT = datetime(2026, 4, 1, 12, tzinfo=UTC)
TENANT = "acme"


@dataclass(frozen=True, slots=True)
class Session:
    """One session of one user, in parts: it is accepted part by part, each with all before it."""

    user: str
    name: str
    """Stands in every text of the session, and in no other's."""
    parts: int = 1
    facts: tuple[str, ...] = ()
    """What the user says instead of the session's own two facts a part."""
    tools: bool = True

    @property
    def scope(self) -> Scope:
        """Whose memory it is."""
        return Scope(tenant_id=TENANT, user_id=self.user)

    @property
    def episode(self) -> str | None:
        """The key of its episode, if it calls tools."""
        return episode_key(self.scope, self.name) if self.tools else None

    def told(self, part: int) -> tuple[str, ...]:
        """Return what the user says in a part, from 0."""
        if self.facts:
            return self.facts if part == 0 else ()
        return (
            f"Session {self.name} closes ledger L{part}.",
            f"Report {part} of {self.name} goes to company {1000 + part}.",
        )

    def expected(self, parts: int | None = None) -> list[str]:
        """Return the facts of the first so many parts."""
        return sorted(text for part in range(self.parts if parts is None else parts) for text in self.told(part))

    def transcript(self, parts: int) -> Transcript:
        """Return the session up to a part."""
        entries = [entry for part in range(parts) for entry in self._entries(part)]
        return Transcript(session_id=self.name, entries=tuple(entries))

    def _entries(self, part: int) -> list[Entry]:
        first = AT + timedelta(hours=part)
        entries = [
            _entry(f"{part}-u{n}", "said", "user", first, n, text=text) for n, text in enumerate(self.told(part))
        ]
        entries.append(_entry(f"{part}-a", "said", "clerk", first, 10, text="Noted."))
        if self.tools:
            call: dict[str, Any] = {"tool": "close_period", "call_id": f"{self.name}-{part}"}
            asked = {"session": self.name, "period": f"2026-0{part + 1}"}
            entries.append(_entry(f"{part}-c", "called", "clerk", first, 20, payload=asked, **call))
            entries.append(_entry(f"{part}-r", "returned", "clerk", first, 21, payload={"status": "ok"}, **call))
        return entries


def _entry(event: str, kind: Any, author: str, first: datetime, minute: int, **more: Any) -> Entry:
    return Entry(event_id=event, kind=kind, author=author, at=first + timedelta(minutes=minute), **more)


def as_json(session: Session, parts: int) -> dict[str, Any]:
    """Return a session as it goes to a child."""
    entries = plain(ENTRIES, session.transcript(parts).entries)
    return {"user": session.user, "session": session.name, "entries": json.loads(json.dumps(entries))}


def of_json(order: dict[str, Any]) -> tuple[Scope, Transcript]:
    """Return what `as_json` wrote."""
    entries = ENTRIES.validate_python(order["entries"])
    return Scope(tenant_id=TENANT, user_id=order["user"]), Transcript(session_id=order["session"], entries=entries)

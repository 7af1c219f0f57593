"""A session as redacted entries, and how two hand-overs of one session are merged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias

from twofold.memory.jsontypes import Json

EntryKind: TypeAlias = Literal["said", "called", "returned", "failed", "confirmed", "answered", "rewound"]
Awaiting: TypeAlias = Literal["", "confirmation", "authorization"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One part of one event of a session.

    `event_id` and `part` identify it within the session. Which other fields count depends on `kind`:

    * `said`: `text`, by the user when `author == "user"`, else by the agent named there; `chunk` when it is
      a piece of a live transcription that goes on in the next one of that author
    * `called`: `tool`, `call_id`, `payload` = the arguments, `long_running`
    * `returned`: `tool`, `call_id`, `payload` = the response, `awaiting`, `seconds` if measured exactly
    * `failed`: `error` = code or class, `text` = message; belongs to a dangling call or to the whole run
    * `confirmed`: the user's answer to a confirmation, `call_id`, `payload`
    * `answered`: the user's answer to a form, `call_id`, `payload`
    * `rewound`: `rewinds_to` = the invocation that was undone, with everything after it; `rewinds_since` = when that
      began, if it is known: what was erased of it is not there any more
    """

    event_id: str
    part: int = 0
    kind: EntryKind
    author: str
    at: datetime
    invocation_id: str = ""
    branch: str = ""
    text: str = ""
    tool: str = ""
    call_id: str | None = None
    payload: Json = None
    error: str = ""
    long_running: bool = False
    awaiting: Awaiting = ""
    seconds: float | None = None
    rewinds_to: str = ""
    rewinds_since: datetime | None = None
    thought: bool = False
    partial: bool = False
    chunk: bool = False

    @property
    def by_user(self) -> bool:
        """Whether the user authored it; ADK's `content.role` does not tell."""
        return self.author == "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """One session: its id and its entries, in order of time."""

    session_id: str
    entries: tuple[Entry, ...]


def merge(known: Iterable[Entry], arrived: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return every entry of both, once each, ordered by time and then by first appearance.

    Never drops a known entry: a session may be handed over truncated. An entry seen before keeps its first
    form, except that an exact duration measured later is added, so that events stay evidence.
    """
    merged: dict[tuple[str, int], Entry] = {}
    for entry in (*known, *arrived):
        identity = (entry.event_id, entry.part)
        before = merged.setdefault(identity, entry)
        if before.seconds is None and entry.seconds is not None:
            merged[identity] = replace(before, seconds=entry.seconds)
    return tuple(sorted(merged.values(), key=lambda entry: entry.at))


def without_noise(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the entries without partial chunks and without the model's thoughts."""
    return tuple(entry for entry in entries if not entry.partial and not entry.thought)

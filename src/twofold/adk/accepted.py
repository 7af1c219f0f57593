"""Which events this process handed over lately, so that a long session is not read again after each turn."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from google.adk.events.event import Event

from twofold.memory.scope import Scope

# Far below any time to live: what has expired meanwhile is handed over whole again.
SECONDS = 3600.0
MOST_SESSIONS = 1_000


@dataclass(slots=True)
class _Known:
    since: float
    event_ids: set[str] = field(default_factory=set)


class AcceptedEvents:
    """Ids of accepted events by session, for an hour; from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start empty. `clock` gives seconds."""
        self._clock = clock
        self._lock = threading.Lock()
        self._sessions: OrderedDict[tuple[Scope, str], _Known] = OrderedDict()

    def unseen(self, scope: Scope, session_id: str, events: Sequence[Event]) -> Sequence[Event]:
        """Return the events that were not accepted; all of them if one has no id, by which it could be known."""
        with self._lock:
            known = self._sessions.get((scope, session_id))
            if known is None or known.since + SECONDS <= self._clock() or not all(map(_id, events)):
                return events
            return [event for event in events if _id(event) not in known.event_ids]

    def note(self, scope: Scope, session_id: str, events: Sequence[Event]) -> None:
        """Note that these events were accepted; an unfinished chunk may come again, whole, under its id."""
        with self._lock:
            known = self._sessions.get((scope, session_id))
            if known is None or known.since + SECONDS <= self._clock():
                known = self._sessions[scope, session_id] = _Known(self._clock())
            known.event_ids.update(_id(event) for event in events if getattr(event, "partial", None) is not True)
            self._sessions.move_to_end((scope, session_id))
            while len(self._sessions) > MOST_SESSIONS:
                self._sessions.popitem(last=False)

    def forget(self, scope: Scope) -> None:
        """Forget a person: what was erased is judged by its tombstones again."""
        with self._lock:
            for key in [key for key in self._sessions if key[0] == scope]:
                del self._sessions[key]


def _id(event: Event) -> str:
    event_id = getattr(event, "id", "")
    return event_id if isinstance(event_id, str) else ""

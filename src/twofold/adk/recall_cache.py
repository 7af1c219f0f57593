"""Searches that run or just ran, so that a turn with five model requests asks once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from twofold.memory.memories import Recall
from twofold.memory.scope import Scope

SECONDS = 5.0
TURN_SECONDS = 600.0
MOST = 1024


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked: a query of one scope, or the widened query of one invocation."""

    scope: Scope
    query: str
    except_session: str | None
    invocation_id: str | None = None


class RecallCache:
    """Futures of searches by what was asked; from any thread.

    A search belongs to its invocation for the whole turn, and otherwise to its query for five seconds.
    A failed one is forgotten at once.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start empty. `clock` gives seconds."""
        self._clock = clock
        self._lock = threading.Lock()
        self._searches: dict[Asked, tuple[float, Future[Recall]]] = {}

    def search(self, asked: Asked, start: Callable[[], Future[Recall]]) -> Future[Recall]:
        """Return the running or recent search, else start one."""
        now = self._clock()
        with self._lock:
            until, search = self._searches.get(asked, (0.0, None))
            if search is None or until <= now or _failed(search):
                search = start()
                self._make_room(now)
                lifetime = SECONDS if asked.invocation_id is None else TURN_SECONDS
                self._searches[asked] = (now + lifetime, search)
        return search

    def clear(self, scope: Scope) -> None:
        """Drop the searches of one scope: what was forgotten is not served again."""
        with self._lock:
            self._searches = {asked: kept for asked, kept in self._searches.items() if asked.scope != scope}

    def _make_room(self, now: float) -> None:
        if len(self._searches) >= MOST:
            self._searches = {asked: kept for asked, kept in self._searches.items() if kept[0] > now}
        while len(self._searches) >= MOST:
            del self._searches[next(iter(self._searches))]


def _failed(search: Future[Recall]) -> bool:
    return search.done() and (search.cancelled() or search.exception() is not None)

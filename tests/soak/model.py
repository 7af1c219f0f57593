"""The model: it outlives every kill, holds back an answer when it is told to, and counts what was paid for what."""

from __future__ import annotations

import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256

from tests.soak.phases import EPISODE, FACTS
from twofold.testing import OpenAIDouble, Reply, Request

_TAG = re.compile(r"</?session_[\w-]+>")
"""LangMem names its frame anew in each request."""


@dataclass(frozen=True, slots=True)
class Span:
    """One answer: for which tool, about which session, from when to when; or a refusal."""

    tool: str
    session: str
    began: float
    ended: float
    refused: bool = False


@dataclass(slots=True)
class _Hold:
    reached: Callable[[], object]
    go: threading.Event = field(default_factory=threading.Event)


class Model(OpenAIDouble):
    """An OpenAI double that knows requests by the tool they offer and the session's name in their text."""

    def __init__(self) -> None:
        """Hold and refuse nothing yet."""
        super().__init__()
        self.paid: dict[tuple[str, str], list[float]] = defaultdict(list)
        """When the answer was paid for, by tool and hash of the input."""
        self.spans: list[Span] = []
        """Each answer about facts, from the request on."""
        self.seconds = 0.0
        """How long an answer takes at least."""
        self._names: dict[tuple[str, str], str] = {}
        self._holds: dict[tuple[str, str], _Hold] = {}
        self._refused: set[str] = set()
        self._own = threading.Lock()

    def hold(self, tool: str, session: str, reached: Callable[[], object]) -> None:
        """Hold back the next answer about a session; call `reached`, on some thread, when it is asked for."""
        with self._own:
            self._holds[tool, session] = _Hold(reached)

    def release(self, tool: str, session: str) -> None:
        """Give the answer that was held back."""
        with self._own:
            hold = self._holds.pop((tool, session), None)
        if hold is not None:
            hold.go.set()

    def refuse(self, session: str, *, refuse: bool) -> None:
        """Answer 500 to all about a session, or not any more."""
        with self._own:
            (self._refused.add if refuse else self._refused.discard)(session)

    def of(self, session: str, tool: str) -> list[list[float]]:
        """Return for each input about a session when it was paid for."""
        with self._own:
            return [list(times) for key, times in self.paid.items() if key[0] == tool and self._names[key] == session]

    def answer(self, request: Request) -> Reply:
        """Note what is paid for, and hold back what is to be held."""
        tool, session = next((tool for tool in (FACTS, EPISODE) if tool in request.tools), ""), _name(request.text)
        with self._own:
            if session in self._refused:
                self.spans.append(Span(tool, session, time.monotonic(), time.monotonic(), refused=True))
                return Reply.error(500)
            key = (tool, sha256(_TAG.sub("", request.text).encode()).hexdigest())
            self.paid[key].append(time.monotonic())
            self._names[key] = session
            hold = self._holds.get((tool, session))
        if hold is not None:
            hold.reached()
            hold.go.wait(120)
        reply = super().answer(request)
        began = self.paid[key][-1]
        time.sleep(self.seconds)
        with self._own:
            self.spans.append(Span(tool, session, began, time.monotonic()))
        return reply


def _name(text: str) -> str:
    """Return which session a request is about: the last one named, for what is known comes first."""
    words = text.replace('"', " ").replace(".", " ").replace(",", " ").split()
    return next((word for word in reversed(words) if word.startswith("S-")), "")

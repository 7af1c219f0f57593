"""How long tool calls took, measured where events only tell it roughly."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from twofold.memory.transcript import Transcript

MOST_INVOCATIONS = 1_000


class CallClock:
    """Seconds of each tool call, by invocation. Bounded: an invocation that was cancelled is never taken."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start empty. `clock` gives seconds."""
        self._clock = clock
        self._began: dict[str, dict[str, float]] = {}
        self._seconds: dict[str, dict[str, float]] = {}

    def start(self, invocation_id: str, call_id: str | None) -> None:
        """Note that a call began."""
        if call_id:
            _bounded(self._began, invocation_id)[call_id] = self._clock()

    def stop(self, invocation_id: str, call_id: str | None) -> None:
        """Note that a call ended; unknown calls are ignored."""
        began = self._began.get(invocation_id, {}).pop(call_id or "", None)
        if began is not None and call_id:
            _bounded(self._seconds, invocation_id)[call_id] = self._clock() - began

    def take(self, invocation_id: str) -> Mapping[str, float]:
        """Return the seconds by call id of an invocation that ended, and drop them."""
        self._began.pop(invocation_id, None)
        return self._seconds.pop(invocation_id, {})


def timed(transcript: Transcript, seconds: Mapping[str, float]) -> Transcript:
    """Return the transcript with exact durations where they were measured."""
    return replace(
        transcript,
        entries=tuple(
            replace(entry, seconds=seconds.get(entry.call_id or "")) if entry.kind == "returned" else entry
            for entry in transcript.entries
        ),
    )


def _bounded(by_invocation: dict[str, dict[str, float]], invocation_id: str) -> dict[str, float]:
    if invocation_id not in by_invocation and len(by_invocation) >= MOST_INVOCATIONS:
        del by_invocation[next(iter(by_invocation))]
    return by_invocation.setdefault(invocation_id, {})

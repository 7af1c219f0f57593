"""What is measured: accepts, saves, searches, changes, and what waits."""

from __future__ import annotations

import time
from asyncio import CancelledError
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from opentelemetry import metrics
from opentelemetry.context import Context
from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.trace import Span

from twofold.telemetry.spans import error_type, span
from twofold.telemetry.terms import (
    ACCEPTS,
    ACTION,
    ATTEMPT,
    CHANGES,
    ENTRIES,
    ERROR_TYPE,
    FAILURES,
    GIVEN_UP,
    KIND,
    NAME,
    OLDEST,
    OUTCOME,
    PART,
    SAVES,
    SEARCHES,
    WAITING,
    Metric,
    Outcome,
)

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)

_meter = metrics.get_meter(NAME)


@dataclass(frozen=True, slots=True)
class _Seen:
    waiting: int
    given_up: int
    oldest: float
    at: float

    @property
    def age(self) -> float:
        return self.oldest + time.monotonic() - self.at if self.waiting else 0.0


_seen: dict[str, _Seen] = {}


def _histogram(metric: Metric) -> metrics.Histogram:
    return _meter.create_histogram(
        metric.name, metric.unit, metric.means, explicit_bucket_boundaries_advisory=list(_SECONDS)
    )


def _gauge(metric: Metric, read: Callable[[Iterable[_Seen]], float]) -> None:
    def observed(_: CallbackOptions) -> Iterable[Observation]:
        found = list(_seen.values())
        return [Observation(read(found))] if found else []

    _meter.create_observable_gauge(metric.name, [observed], metric.unit, metric.means)


_accepts, _saves, _searches = _histogram(ACCEPTS), _histogram(SAVES), _histogram(SEARCHES)
_changes = _meter.create_counter(CHANGES.name, CHANGES.unit, CHANGES.means)
_failures = _meter.create_counter(FAILURES.name, FAILURES.unit, FAILURES.means)
_gauge(WAITING, lambda found: sum(seen.waiting for seen in found))
_gauge(GIVEN_UP, lambda found: sum(seen.given_up for seen in found))
_gauge(OLDEST, lambda found: max(seen.age for seen in found))


@contextmanager
def accepting(entries: int) -> Iterator[Callable[[Outcome], None]]:
    """Tell of a session that is being accepted; call what this lends with what it came to."""
    with span("memory_accept", {ENTRIES: entries}) as current, _timed(_accepts, current, "accepted") as outcome:
        yield outcome


@contextmanager
def saving(attempt: int, *, is_last: Callable[[Exception], bool]) -> Iterator[None]:
    """Tell of an attempt to save a session. It belongs to no request, so it is a trace of its own."""
    alone = Context()
    with span("memory_save", {ATTEMPT: attempt}, parent=alone) as current, _timed(_saves, current, "stored") as told:
        try:
            yield
        except Exception as error:
            told("given_up" if is_last(error) else "failed")
            raise


@contextmanager
def searching() -> Iterator[None]:
    """Measure how long somebody waits for a search; its span is that of the graph."""
    with _timed(_searches, None, "answered"):
        yield


def changed(action: str, kind: str) -> None:
    """Count a memory that was changed."""
    _changes.add(1, {ACTION: action, KIND: kind})


def not_extracted(part: str) -> None:
    """Count a part of a session that a model could not extract."""
    _failures.add(1, {PART: part})


def backlog_seen(database: str, *, waiting: int, given_up: int, oldest: float) -> None:
    """Take what waits in a database for the gauges; the oldest of it has waited for so many seconds."""
    _seen[database] = _Seen(waiting, given_up, oldest, time.monotonic())


def backlog_unknown(database: str) -> None:
    """Report no more what waits in a database: nobody looks."""
    _seen.pop(database, None)


@contextmanager
def _timed(histogram: metrics.Histogram, current: Span | None, outcome: Outcome) -> Iterator[Callable[[Outcome], None]]:
    """Measure, and tell the outcome: the one given, unless an error or the caller says otherwise."""
    came: dict[str, str] = {OUTCOME: outcome}

    def told(other: Outcome) -> None:
        came[OUTCOME] = other

    began = time.perf_counter()
    try:
        yield told
    except BaseException as error:
        came[ERROR_TYPE] = error_type(error)
        if came[OUTCOME] == outcome:
            told(_outcome(error))
        raise
    finally:
        histogram.record(time.perf_counter() - began, came)
        if current is not None:
            current.set_attribute(OUTCOME, came[OUTCOME])


def _outcome(error: BaseException) -> Outcome:
    if isinstance(error, CancelledError):
        return "cancelled"
    return "timed_out" if isinstance(error, TimeoutError) else "failed"

"""Exact durations of tool calls."""

from __future__ import annotations

from twofold.adk.call_clock import MOST_INVOCATIONS, CallClock


class Clock:
    """A clock that is moved by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_parallel_calls_are_timed_each_for_itself() -> None:
    clock = Clock()
    calls = CallClock(clock)
    calls.start("i1", "slow")
    calls.start("i1", "fast")
    clock.now = 0.1
    calls.stop("i1", "fast")
    clock.now = 0.3
    calls.stop("i1", "slow")
    assert calls.take("i1") == {"fast": 0.1, "slow": 0.3}


def test_an_invocation_is_taken_once_and_alone() -> None:
    calls = CallClock(Clock())
    for invocation in ("i1", "i2"):
        calls.start(invocation, "c")
        calls.stop(invocation, "c")
    assert calls.take("i1") == {"c": 0.0}
    assert calls.take("i1") == {}
    assert calls.take("i2") == {"c": 0.0}


def test_a_call_that_never_began_or_has_no_id_is_ignored() -> None:
    calls = CallClock(Clock())
    calls.stop("i1", "unknown")
    calls.start("i1", None)
    calls.stop("i1", None)
    assert calls.take("i1") == {}


def test_invocations_that_are_never_taken_do_not_pile_up() -> None:
    calls = CallClock(Clock())
    for number in range(MOST_INVOCATIONS + 1):
        calls.start(str(number), "c")
        calls.stop(str(number), "c")
    assert calls.take("0") == {}
    assert calls.take(str(MOST_INVOCATIONS)) == {"c": 0.0}

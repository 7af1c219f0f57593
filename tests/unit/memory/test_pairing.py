"""Calls paired with their responses."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.memory.entries import (
    agent,
    asks_confirmation,
    called,
    confirmed,
    failed,
    returned,
    session,
    user,
)
from twofold.memory.framework import FRAMEWORK_CALLS
from twofold.memory.pairing import steps_of
from twofold.memory.transcript import Entry

REQUIRES = returned("post", response={"error": "This tool call requires confirmation"}, awaiting="confirmation")
REJECTED = {"error": "This tool call is rejected."}
BAD = {"error": "bad"}


def told(*entries: Entry) -> list[str]:
    """Tell each step as `tool id OUTCOME reason`; the id is in the args."""
    return [f"{s.tool} {s.outcome} {s.reason}".strip() for s in steps_of(session(*entries))]


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([called("post"), returned("post")], ["post SUCCESS"]),
        # parallel calls of one tool: each by its own id, whatever the order of the responses
        (
            [called("post", "a"), called("post", "b"), returned("post", "b", response=BAD), returned("post", "a")],
            ["post SUCCESS", "post FAILURE bad"],
        ),
        # without ids: in order, per tool
        (
            [
                called("post", None),
                called("check", None),
                returned("check", None, response=BAD),
                returned("post", None),
            ],
            ["post SUCCESS", "check FAILURE bad"],
        ),
        (
            [called("post", None), called("post", None), returned("post", None, response=BAD), returned("post", None)],
            ["post FAILURE bad", "post SUCCESS"],
        ),
        # without ids, the first call was interrupted: the response stays within its invocation
        (
            [called("post", None, "i1"), called("post", None, "i2"), returned("post", None, "i2")],
            ["post UNKNOWN interrupted", "post SUCCESS"],
        ),
        # the model uses one id again
        (
            [called("post", "x"), returned("post", "x", response=BAD), called("post", "x"), returned("post", "x")],
            ["post FAILURE bad", "post SUCCESS"],
        ),
        # and what comes once all are answered is about the last
        (
            [
                called("job", "x"),
                returned("job", "x"),
                called("job", "x"),
                returned("job", "x"),
                returned("job", "x", response=BAD),
            ],
            ["job SUCCESS", "job FAILURE bad"],
        ),
        # only the response has an id
        ([called("post", None), returned("post", "x")], ["post SUCCESS"]),
        # long-running: the last response decides
        ([called("job", long_running=True), returned("job", response={"status": "pending"})], ["job PENDING pending"]),
        (
            [
                called("job", long_running=True),
                returned("job", response={"status": "pending"}),
                returned("job", invocation="i2"),
            ],
            ["job SUCCESS"],
        ),
        ([called("job", long_running=True)], ["job PENDING no response yet"]),
        # dangling
        ([called("post")], ["post UNKNOWN interrupted"]),
        ([called("post"), failed("RuntimeError", "db down")], ["post FAILURE RuntimeError: db down"]),
        ([called("job", long_running=True), failed("RuntimeError", "db down")], ["job FAILURE RuntimeError: db down"]),
        ([called("post"), failed("RuntimeError", "db down", "i2")], ["post UNKNOWN interrupted"]),
        ([failed("RuntimeError", "before"), called("post")], ["post UNKNOWN interrupted"]),
        (
            [called("post", branch="p.1"), failed("A", "other", branch="p.2"), failed("B", "own", branch="p.1")],
            ["post FAILURE B: own"],
        ),
        ([called("post"), failed("A", "other", author="boss")], ["post FAILURE A: other"]),
        # a response that no call asked for is no step
        ([returned("post")], []),
        ([user("hi"), agent("hello")], []),
    ],
)
def test_a_step_is_a_call_with_its_last_response(entries: list[Entry], expected: list[str]) -> None:
    assert told(*entries) == expected


ASKED = [called("post"), REQUIRES, asks_confirmation("q1", of="c1")]


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ([], "post PENDING awaiting confirmation"),
        ([confirmed("q1", {"confirmed": True}), returned("post")], "post SUCCESS"),
        ([confirmed("q1", {"confirmed": True}), returned("post", response=BAD)], "post FAILURE bad"),
        (
            [confirmed("q1", {"confirmed": False}), returned("post", response=REJECTED)],
            "post FAILURE rejected by the user",
        ),
        ([confirmed("q1", {"confirmed": False})], "post FAILURE rejected by the user"),
        ([confirmed("q1", {"response": '{"confirmed": false}'})], "post FAILURE rejected by the user"),
        # the tool itself took the refusal well
        (
            [confirmed("q1", {"confirmed": False}), returned("post", response="not posted")],
            "post FAILURE rejected by the user",
        ),
        # approved, and then the tool raised
        (
            [confirmed("q1", {"confirmed": True}, "i2"), failed("RuntimeError", "db down", "i2")],
            "post FAILURE RuntimeError: db down",
        ),
        ([confirmed("q1", {"confirmed": True}, "i2")], "post UNKNOWN approved, no result known"),
        ([confirmed("other", {"confirmed": False})], "post PENDING awaiting confirmation"),
        ([failed("RuntimeError", "of a sibling")], "post PENDING awaiting confirmation"),
    ],
)
def test_a_confirmation_decides_with_the_users_answer(after: list[Entry], expected: str) -> None:
    assert told(*ASKED, *after) == [expected]


def test_a_rejection_is_told_by_the_tools_answer_alone() -> None:
    assert told(called("post"), returned("post", response=REJECTED)) == ["post FAILURE rejected by the user"]


def test_an_authorization_that_was_asked_for_is_awaited() -> None:
    asked = returned("post", response={"pending": True}, awaiting="authorization")
    assert told(called("post"), asked) == ["post PENDING awaiting authorization"]


@pytest.mark.parametrize("tool", sorted(FRAMEWORK_CALLS))
def test_the_frameworks_own_calls_are_no_steps(tool: str) -> None:
    assert told(called(tool), returned(tool), called("run_skill_script", "c2")) == [
        "run_skill_script UNKNOWN interrupted"
    ]


def test_another_set_of_framework_calls_can_be_passed() -> None:
    entries = session(called("post"), called("exit_loop", "c2"))
    assert [step.tool for step in steps_of(entries, framework={"post"})] == ["exit_loop"]


def test_a_step_knows_its_arguments_times_and_events() -> None:
    entries = session(called("post", args={"ledger": "US"}), agent("one moment"), returned("post"))
    [step] = steps_of(entries)
    assert step.args == {"ledger": "US"}
    assert (step.started_at, step.seconds) == (entries[0].at, 2.0)
    assert step.event_ids == ("e0", "e2")


def test_a_measured_duration_is_taken_before_the_times_of_events() -> None:
    [step] = steps_of(session(called("post"), returned("post", seconds=0.25)))
    assert step.seconds == 0.25


def test_the_time_until_an_approval_is_not_the_tools() -> None:
    approval = confirmed("q1", {"confirmed": True})
    assert [s.seconds for s in steps_of(session(*ASKED, user("ok"), approval, agent("..."), returned("post")))] == [2.0]
    assert [s.seconds for s in steps_of(session(*ASKED, confirmed("q1", {"confirmed": False})))] == [None]


def test_no_duration_is_made_up() -> None:
    first, second = session(returned("post"), called("post"))
    [step] = steps_of((second, first))
    assert step.outcome == "SUCCESS"
    assert step.seconds is None
    assert [s.seconds for s in steps_of(session(called("post"), REQUIRES))] == [None]


tools = st.sampled_from(["post", "check", "close"])
ids = st.sampled_from([None, "a", "b", "c"])
invocations = st.sampled_from(["i1", "i2"])
any_entry = st.one_of(
    st.builds(called, tools, ids, invocations, long_running=st.booleans()),
    st.builds(returned, tools, ids, invocations, response=st.sampled_from(["ok", BAD, {"status": "pending"}])),
    st.builds(failed, st.just("E"), st.just("x"), invocations),
    st.builds(confirmed, st.sampled_from(["a", "b"]), st.just({"confirmed": True}), invocations),
    st.builds(user, st.just("hi"), invocations),
)


@given(st.lists(any_entry, max_size=30), st.randoms())
def test_no_call_is_lost_or_made_up_in_any_order_of_entries(entries: list[Entry], random: object) -> None:
    numbered = list(session(*entries))
    random.shuffle(numbered)  # type: ignore[attr-defined]
    steps = steps_of(numbered)
    assert [s.event_ids[0] for s in steps] == [e.event_id for e in numbered if e.kind == "called"]
    responses = {e.event_id for e in numbered if e.kind == "returned"}
    used = Counter(event for s in steps for event in s.event_ids[1:] if event in responses)
    assert all(count == 1 for count in used.values())


@given(st.lists(tools, min_size=1, max_size=12), st.randoms())
def test_calls_with_ids_of_their_own_pair_whatever_the_order(names: list[str], random: object) -> None:
    calls = [called(name, f"c{n}", args={"n": n}) for n, name in enumerate(names)]
    responses = [returned(name, f"c{n}", response={"error": str(n)}) for n, name in enumerate(names)]
    mixed = [*calls, *responses]
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert all(s.args == {"n": int(s.reason)} for s in steps_of(session(*mixed)))

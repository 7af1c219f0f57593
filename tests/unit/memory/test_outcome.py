"""Whether a response, a run and an episode succeeded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.memory.entries import START, step
from twofold.memory.jsontypes import Json
from twofold.memory.outcome import episode_outcome, judge, run_outcome, unsettled
from twofold.memory.steps import Outcome, Run, Step

TRACE = 'Traceback (most recent call last):\n  File "close.py", line 3\nRuntimeError: ledger locked\n'


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        # 1 reflect and retry
        ({"response_type": "ERROR_HANDLED_BY_REFLECT_AND_RETRY_PLUGIN", "error_details": "no ledger"}, "no ledger"),
        # 2 MCP
        (
            {"isError": True, "content": [{"type": "text", "text": "no such"}, {"type": "text", "text": "ledger"}]},
            "no such; ledger",
        ),
        ({"is_error": True, "content": []}, ""),
        # 3 error
        ({"error": "period closed"}, "period closed"),
        ({"error": {"code": 409, "message": "period closed"}}, "period closed"),
        ({"error": True}, ""),
        ({"error": "E1", "message": "period closed"}, "period closed"),
        # 4 status
        ({"status": "error", "error_message": "no ledger"}, "no ledger"),
        ({"status": "ERROR", "error_details": "no table"}, "no table"),
        ({"status": "Not Found"}, "status not_found"),
        ({"status": "timed out"}, "status timed_out"),
        ({"status": "cancelled", "reason": "by controller"}, "by controller"),
        # 5 success is false
        ({"success": False, "detail": "locked"}, "locked"),
        ({"ok": False}, "ok is false"),
        # 6 exit code
        ({"stdout": "", "stderr": "no file", "returncode": 2}, "no file"),
        ({"exit_code": 1}, "exit code 1"),
        # 7 HTTP
        ({"status_code": 404}, "HTTP status 404"),
        ({"status": 503, "message": "try later"}, "try later"),
        # 9 only a result
        ({"result": {"status": "failed", "message": "no ledger"}}, "no ledger"),
        ({"result": '{"error": "no ledger"}'}, "no ledger"),
        ({"result": "Error: no ledger"}, "Error: no ledger"),
        ({"result": "failed - no ledger"}, "failed - no ledger"),
        ({"result": "ERROR 409: period closed"}, "ERROR 409: period closed"),
        ({"result": "ValueError: no ledger"}, "ValueError: no ledger"),
        ({"result": TRACE}, "RuntimeError: ledger locked"),
        ({"result": {"result": "Failure: x"}}, "Failure: x"),
        ("Exception: no ledger", "Exception: no ledger"),
    ],
)
def test_a_failure_is_told_with_its_reason(response: Json, reason: str) -> None:
    verdict = judge(response)
    assert (verdict.outcome, verdict.reason) == ("FAILURE", reason)


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ({"status": "pending"}, "pending"),
        ({"status": "In Progress", "message": "2 of 5 done"}, "2 of 5 done"),
        ({"pending": True, "message": "Needs your authorization"}, "Needs your authorization"),
        ({"result": {"status": "submitted"}}, "submitted"),
    ],
)
def test_work_in_progress_is_pending(response: Json, reason: str) -> None:
    verdict = judge(response)
    assert (verdict.outcome, verdict.reason) == ("PENDING", reason)


@pytest.mark.parametrize(
    "response",
    [
        None,
        {},
        [],
        42,
        "posted",
        {"result": None},
        {"result": "Error rate is 2 %"},
        {"result": "No errors: all posted"},
        {"result": "Failed checks were repeated with success"},
        {"result": ["Error: data, not an outcome"]},
        {"result": "[1, 2]"},
        {"result": '{"broken json'},
        {"error": None, "result": "x"},
        {"error": ""},
        {"isError": False, "content": [{"type": "text", "text": "ok"}]},
        {"status": "SUCCESS"},
        {"status": "ok"},
        {"status": "warning"},
        {"status": 200},
        {"status": 399},
        {"status": 600},
        {"success": True},
        {"success": None},
        {"returncode": 0, "stderr": "note"},
        {"exit_code": True},
        {"status_code": 204},
        {"pending": False},
        {"result": "Error: x", "more": "than a result"},
        {"message": "Error: told, not returned"},
    ],
)
def test_everything_else_is_a_success(response: Json) -> None:
    verdict = judge(response)
    assert (verdict.outcome, verdict.reason) == ("SUCCESS", "")


@pytest.mark.parametrize(
    ("response", "outcome"),
    [
        ({"isError": False, "error": "x"}, "FAILURE"),
        ({"error": None, "status": "error"}, "FAILURE"),
        ({"status": "ok", "success": False}, "FAILURE"),
        ({"status": "pending", "exit_code": 1}, "FAILURE"),
        ({"status": "failed", "pending": True}, "FAILURE"),
    ],
)
def test_an_earlier_rule_outranks_a_later_one(response: Json, outcome: str) -> None:
    assert judge(response).outcome == outcome


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (
            "Tool post execution failed. Analyze this execution error. Execution Error: Status Code: 409",
            "Status Code: 409",
        ),
        (
            "Invoking `post()` failed: no ledger\nYou could retry calling this tool, but it is IMPORTANT.",
            "Invoking `post()` failed: no ledger",
        ),
        (
            "Invoking `x()` failed as no tool with that name is available. The tools you can call are: post.",
            "Invoking `x()` failed as no tool with that name is available.",
        ),
        ("Tool 'x' not found.\nAvailable tools: post\n\nPossible causes:\n  1. made up", "Tool 'x' not found."),
    ],
)
def test_a_reason_leaves_out_the_advice_to_the_model(error: str, reason: str) -> None:
    assert judge({"error": error}).reason == reason


@given(st.text(min_size=1, max_size=2000))
def test_a_reason_is_one_short_line(text: str) -> None:
    reason = judge({"error": text}).reason
    assert len(reason) <= 200
    assert len(reason.splitlines()) <= 1


plain_json: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["result", "status", "error", "isError", "content", "exit_code", "message", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(plain_json)
def test_every_response_gets_a_verdict_and_only_success_has_no_reason_to_give(response: Json) -> None:
    verdict = judge(response)
    assert verdict.outcome in {"SUCCESS", "FAILURE", "PENDING"}
    assert verdict.outcome != "SUCCESS" or verdict.reason == ""


OK, BAD, WAITS, GONE = (step("post", outcome) for outcome in ("SUCCESS", "FAILURE", "PENDING", "UNKNOWN"))
OTHER_OK, OTHER_BAD = step("check"), step("check", "FAILURE")


@pytest.mark.parametrize(
    ("steps", "outcome"),
    [
        ([OK], "success"),
        ([BAD], "failure"),
        ([BAD, OK], "success"),
        ([BAD, BAD, OK], "success"),
        ([OK, BAD], "failure"),
        ([BAD, OTHER_OK], "partial"),
        ([OK, OTHER_BAD], "failure"),
        ([WAITS], "pending"),
        ([WAITS, OK], "success"),
        ([WAITS, BAD], "failure"),
        ([WAITS, OTHER_OK], "pending"),
        ([WAITS, OTHER_BAD], "pending"),
        ([GONE], "partial"),
        ([GONE, OK], "success"),
        ([OK, GONE], "partial"),
        ([], "success"),
    ],
)
def test_a_run_ends_as_its_steps_do(steps: list[Step], outcome: Outcome) -> None:
    assert run_outcome(steps) == outcome


def test_a_run_that_an_error_ended_failed_whatever_its_steps() -> None:
    assert run_outcome([OK], error="RuntimeError: overloaded") == "failure"
    assert run_outcome([WAITS], error="RuntimeError: overloaded") == "failure"


def test_a_sibling_of_the_same_event_is_no_repetition() -> None:
    bad, good = step("post", "FAILURE", event="e1"), step("post", event="e1")
    assert unsettled([bad, good]) == (bad,)
    assert unsettled([bad, step("post", event="e2")]) == ()


def run(outcome: Outcome, *steps: Step) -> Run:
    return Run(request="", steps=steps, outcome=outcome, failure="", started_at=START, ended_at=START)


@pytest.mark.parametrize(
    ("runs", "outcome"),
    [
        ([run("success", OK)], "success"),
        ([run("failure", BAD)], "failure"),
        ([run("failure", BAD), run("success", OK)], "success"),
        ([run("failure", BAD), run("success", OTHER_OK)], "partial"),
        ([run("failure", BAD), run("success", OK), run("success", OTHER_OK)], "success"),
        ([run("success", OK), run("failure", BAD)], "failure"),
        ([run("success", OK), run("pending", WAITS)], "pending"),
        ([run("pending", WAITS), run("success", OTHER_OK)], "partial"),
        ([run("partial", BAD, OTHER_OK)], "partial"),
        ([run("failure"), run("success", OK)], "success"),
    ],
)
def test_an_episode_ends_as_its_last_run_unless_something_was_left_undone(runs: list[Run], outcome: Outcome) -> None:
    assert episode_outcome(runs) == outcome


@pytest.mark.parametrize(
    ("tool", "response", "outcome"),
    [
        ("cancel_reservation", {"reservation_id": "R1", "status": "cancelled"}, "SUCCESS"),
        ("cancel_reservation", {"result": '{"reservation_id": "R1", "status": "cancelled"}'}, "SUCCESS"),
        ("cancelOrder", '{"status": "Canceled"}', "SUCCESS"),
        ("cancel_reservation", {"status": "denied"}, "FAILURE"),
        ("cancel_reservation", {"error": "not found", "status": "cancelled"}, "FAILURE"),
        ("book_reservation", {"status": "cancelled"}, "FAILURE"),
    ],
)
def test_cancelled_is_what_a_cancelling_tool_is_to_come_to(tool: str, response: Json, outcome: str) -> None:
    assert judge(response, tool=tool).outcome == outcome

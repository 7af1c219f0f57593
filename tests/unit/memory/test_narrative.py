"""The narrative of an episode and the name of its workflow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.memory.entries import START, step
from twofold.memory.jsontypes import Json
from twofold.memory.narrative import narrative_of, result_of, step_line
from twofold.memory.outcome import run_outcome
from twofold.memory.steps import Run, Step, StepOutcome
from twofold.memory.workflow import workflow_of


def run(*steps: Step, request: str = "Close February", failure: str = "") -> Run:
    outcome = run_outcome(steps)
    return Run(request=request, steps=steps, outcome=outcome, failure=failure, started_at=START, ended_at=START)


def test_a_narrative_tells_request_steps_and_result_of_each_run_in_order() -> None:
    failed = step("close_period", "FAILURE", "3 open journals", args={"period": "2026-02", "ledger": "US_PRIMARY"})
    posted = step("post_journals", args={"count": 3, "dry": False})
    first = run(failed, failure="close_period: 3 open journals")
    assert narrative_of([first, run(posted, request="Post them")]) == (
        "Request: Close February\n"
        'close_period(ledger="US_PRIMARY", period="2026-02") → FAILURE: 3 open journals\n'
        "Result: failure. 0 of 1 steps succeeded. close_period: 3 open journals\n"
        "\n"
        "Request: Post them\n"
        "post_journals(count=3, dry=false) → SUCCESS\n"
        "Result: success. 1 of 1 steps succeeded."
    )


@pytest.mark.parametrize(
    ("args", "outcome", "reason", "line"),
    [
        (None, "SUCCESS", "", "post() → SUCCESS"),
        ({}, "UNKNOWN", "interrupted", "post() → UNKNOWN: interrupted"),
        ({"b": 1, "a": {"d": 2, "c": None}}, "SUCCESS", "", 'post(a={"c": null, "d": 2}, b=1) → SUCCESS'),
        (
            {"text": 'say "hi"\nnow'},
            "PENDING",
            "awaiting\nconfirmation",
            r'post(text="say \"hi\"\nnow") → PENDING: awaiting confirmation',
        ),
        (["x"], "SUCCESS", "", 'post(["x"]) → SUCCESS'),
        ({"größe": "日本"}, "SUCCESS", "", 'post(größe="日本") → SUCCESS'),
    ],
)
def test_a_step_is_one_line_with_sorted_arguments(args: Json, outcome: StepOutcome, reason: str, line: str) -> None:
    assert step_line(step("post", outcome, reason, args=args)) == line


@pytest.mark.parametrize(
    ("steps", "failure", "result"),
    [
        (
            [step(outcome="FAILURE", reason="x"), step()],
            "",
            "success. 1 of 2 steps succeeded. Repeated with success after failing: 1.",
        ),
        (
            [step("a", "PENDING", "awaiting confirmation"), step("b")],
            "",
            "pending. 1 of 2 steps succeeded. a: awaiting confirmation",
        ),
        ([step("a"), step("b", "UNKNOWN", "interrupted")], "", "partial. 1 of 2 steps succeeded. b: interrupted"),
        (
            [step("a", "FAILURE", "bad"), step("b", "PENDING", "running")],
            "a: bad",
            "pending. 0 of 2 steps succeeded. a: bad; b: running",
        ),
        ([], "SAFETY: blocked", "success. No tool was called. SAFETY: blocked"),
    ],
)
def test_a_result_says_in_plain_words_how_the_run_ended(steps: list[Step], failure: str, result: str) -> None:
    assert result_of(run(*steps, failure=failure)) == result


def test_of_a_very_long_run_the_middle_is_left_out_and_counted() -> None:
    lines = narrative_of([run(*(step(f"t{n}") for n in range(500)))]).splitlines()
    assert len(lines) == 63
    assert lines[41] == "… 440 more steps …"
    assert (lines[40], lines[42], lines[61]) == ("t39() → SUCCESS", "t480() → SUCCESS", "t499() → SUCCESS")


@given(st.dictionaries(st.text(max_size=20), st.text(max_size=1000), max_size=20), st.text(max_size=1000))
def test_a_line_is_short_and_keeps_its_outcome(args: dict[str, str], reason: str) -> None:
    line = step_line(step("post", "FAILURE", reason, args=args))
    assert len(line) <= 400
    assert ") → FAILURE" in line


def test_a_workflow_is_named_by_its_tools_in_order_without_repetitions() -> None:
    steps = [step("check"), step("post", "FAILURE"), step("post"), step("check"), step("close")]
    assert workflow_of(steps) == "check → post → close"
    assert workflow_of([]) == ""

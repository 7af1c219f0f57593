"""Steps and turns made into runs."""

from __future__ import annotations

import pytest

from tests.unit.memory.entries import (
    agent,
    answered,
    asks_confirmation,
    called,
    confirmed,
    failed,
    returned,
    session,
    user,
)
from twofold.memory.pairing import steps_of
from twofold.memory.runs import runs_of
from twofold.memory.steps import Run
from twofold.memory.transcript import Entry


def runs(*entries: Entry) -> tuple[Run, ...]:
    numbered = session(*entries)
    return runs_of(numbered, steps_of(numbered))


def told(*entries: Entry) -> list[tuple[str, list[str], str]]:
    return [(run.request, [step.tool for step in run.steps], run.outcome) for run in runs(*entries)]


POST = [called("post", "c1"), returned("post", "c1")]
CHECK = [called("check", "c2", "i2"), returned("check", "c2", "i2")]
ASKED = [
    called("post", "c1"),
    returned("post", "c1", response={"error": "confirm"}, awaiting="confirmation"),
    asks_confirmation("q1", of="c1"),
]


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([user("Post it"), *POST, agent("Done")], [("Post it", ["post"], "success")]),
        (
            [user("Post it"), *POST, user("Check it", "i2"), *CHECK],
            [("Post it", ["post"], "success"), ("Check it", ["check"], "success")],
        ),
        # no tool, no run
        ([user("Hello"), agent("Hello"), user("Thanks", "i2"), agent("Welcome", "i2")], []),
        # a confirmation goes on with the run, in an invocation of its own or not
        (
            [user("Post it"), *ASKED, confirmed("q1", {"confirmed": True}, "i2"), returned("post", "c1", "i2"), *CHECK],
            [("Post it", ["post", "check"], "success")],
        ),
        # the answer comes after other talk, and still belongs to what it answers
        (
            [
                user("Post it"),
                *ASKED,
                user("What is open?", "i2"),
                *CHECK,
                confirmed("q1", {"confirmed": True}, "i3"),
                returned("post", "c1", "i3"),
                called("mail", "c3", "i3"),
                returned("mail", "c3", "i3"),
            ],
            [("Post it", ["post", "mail"], "success"), ("What is open?", ["check"], "success")],
        ),
        # a form, and the result of a long-running tool
        (
            [user("Post it"), called("adk_request_input", "f1"), answered("f1", {"ledger": "US"}, "i2"), *CHECK],
            [("Post it", ["check"], "success")],
        ),
        (
            [
                user("Run it"),
                called("job", "c1", long_running=True),
                returned("job", "c1", response={"status": "pending"}),
                returned("job", "c1", "i2", author="user"),
                *CHECK,
            ],
            [("Run it", ["job", "check"], "success")],
        ),
        # two requests in one invocation, as in a live session
        (
            [user("Post it"), *POST, user("Check it"), called("check", "c2"), returned("check", "c2")],
            [("Post it", ["post"], "success"), ("Check it", ["check"], "success")],
        ),
        # what is not asked for by a text
        (POST, [("", ["post"], "success")]),
        # without invocation ids
        (
            [
                user("Post it", ""),
                called("post", "c1", ""),
                returned("post", "c1", ""),
                user("Again", ""),
                called("post", "c2", ""),
            ],
            [("Post it", ["post"], "success"), ("Again", ["post"], "partial")],
        ),
    ],
)
def test_a_run_is_what_serves_one_request(entries: list[Entry], expected: list[tuple[str, list[str], str]]) -> None:
    assert told(*entries) == expected


def test_a_request_goes_on_where_the_agent_asked_back_before_doing_anything() -> None:
    asked = [user("Close the books"), agent("Which ledger?"), user("US Primary", "i2"), *CHECK]
    assert told(*asked) == [("Close the books / US Primary", ["check"], "success")]


def test_small_talk_is_not_part_of_the_request() -> None:
    talk = [user("Nice day"), agent("Indeed."), user("Close the books", "i2"), *CHECK]
    assert told(*talk) == [("Close the books", ["check"], "success")]


def test_a_request_after_a_run_starts_anew_even_when_the_agent_asked() -> None:
    entries = [user("Post it"), *POST, agent("Done. Anything else?"), user("Check it", "i2"), *CHECK]
    assert [request for request, _, _ in told(*entries)] == ["Post it", "Check it"]


def test_a_request_is_one_line_of_bounded_length() -> None:
    [run] = runs(user("Close\nthe  books " + "x" * 2000), *POST)
    assert run.request.startswith("Close the books x")
    assert len(run.request) <= 600


def test_the_pieces_of_a_spoken_request_are_one_text() -> None:
    assert told(user("Close ", chunk=True), user("the books"), *POST)[0][0] == "Close the books"


def test_an_error_that_ended_the_run_makes_it_a_failure_and_is_its_reason() -> None:
    [run] = runs(user("Post it"), *POST, failed("RuntimeError", "overloaded"))
    assert (run.outcome, run.failure) == ("failure", "RuntimeError: overloaded")


def test_an_error_that_was_overcome_does_not() -> None:
    [run] = runs(user("Post it"), failed("RuntimeError", "overloaded"), *POST)
    assert (run.outcome, run.failure) == ("success", "")


def test_a_request_that_failed_before_any_tool_is_a_run() -> None:
    assert told(user("Post it"), failed("SAFETY", "blocked")) == [("Post it", [], "failure")]


def test_the_failure_of_a_run_names_its_tool() -> None:
    [raised] = runs(user("Post it"), called("post"), failed("RuntimeError", "db down"))
    assert raised.failure == "post: RuntimeError: db down"
    [refused] = runs(user("Post it"), called("post"), returned("post", response={"error": "closed"}), agent("Sorry"))
    assert refused.failure == "post: closed"


def test_a_run_knows_when_it_was_and_which_events_show_it() -> None:
    [run] = runs(user("Post it"), *POST, agent("Done"))
    assert (run.ended_at - run.started_at).total_seconds() == 3
    assert run.event_ids == ("e0", "e1", "e2", "e3")

"""The words of an episode: the plain ones, and what others are checked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.contract.samples import FAILURE, PARTIAL, PENDING, RECOVERED, SUCCESS, episode, run, step
from twofold.memory.steps import Episode, EpisodeWords, StepOutcome
from twofold.memory.words import ENDED, check_words, plain_words


def words(overall: str = "It is over.", *, title: str = "Period close", lesson: str = "") -> EpisodeWords:
    return EpisodeWords(title=title, overall=overall, lesson=lesson)


@pytest.mark.parametrize(
    ("told", "overall", "lesson"),
    [
        (SUCCESS, "Succeeded: 1 of 1 step succeeded.", ""),
        (FAILURE, "Failed: 1 of 2 steps succeeded, 1 failed.", "close_period failed: open subledgers exist"),
        (PENDING, "Waiting: 0 of 1 step succeeded, 1 waiting.", ""),
        (PARTIAL, "Partly succeeded: 1 of 2 steps succeeded, 1 failed.", "post_journal failed: period is closed"),
        (
            RECOVERED,
            "Succeeded: 1 of 2 steps succeeded, 1 failed.",
            "close_period failed: open subledgers exist; it succeeded later",
        ),
        (episode(runs=[run(error="no quota")]), "Failed: no step was taken.", "The run failed: no quota"),
    ],
)
def test_plain_words_are_the_request_the_counts_and_the_last_failure(told: Episode, overall: str, lesson: str) -> None:
    plain = EpisodeWords(title="Close March for company 1010", overall=overall, lesson=lesson)
    assert plain_words(told) == plain


def test_a_failure_that_stayed_is_told_before_one_that_was_overcome() -> None:
    told = episode(
        step("close_period", "FAILURE", "first"),
        step("post_journal", "FAILURE", "stayed", journal="J-1"),
        step("close_period", "FAILURE", "second"),
        step("close_period"),
    )
    assert plain_words(told).lesson == "post_journal failed: stayed"


def test_a_long_request_is_cut_to_a_title_and_an_absent_one_is_the_workflow() -> None:
    long = plain_words(episode(runs=[run(step("close"), request="close the books " * 20)])).title
    assert len(long) == 80
    assert long.endswith("…")
    assert plain_words(episode(runs=[run(step("close"), request="")])).title == "close"


outcomes = st.sampled_from(["SUCCESS", "FAILURE", "PENDING", "UNKNOWN"])


@given(st.lists(st.tuples(st.sampled_from("ab"), outcomes, st.text()), min_size=1), st.text())
def test_plain_words_always_fit_their_lines_and_begin_with_the_outcome(
    steps: list[tuple[str, StepOutcome, str]], request: str
) -> None:
    told = episode(runs=[run(*(step(*each) for each in steps), request=request)])
    plain = plain_words(told)
    assert plain.overall.startswith(f"{ENDED[told.outcome]}: ")
    assert len(plain.title) <= 80
    assert len(plain.lesson) <= 300
    assert plain.title.splitlines() == [plain.title]
    assert len(plain.lesson.splitlines()) <= 1


@pytest.mark.parametrize(
    ("told", "good"),
    [
        (SUCCESS, words("The period was closed.")),
        (SUCCESS, words("Succeeded: the period 2026-03 of US_PRIMARY was closed without errors.")),
        (SUCCESS, words("close_period closed 2026-03.", title="Close March for company 1010")),
        (SUCCESS, words("The 2026 close is done.")),
        (RECOVERED, words("The period was closed after a first attempt failed.", lesson="Open subledgers block it.")),
        (FAILURE, words("Failed: The period could not be closed.", lesson="close_period fails on open subledgers.")),
        (FAILURE, words("Failed: open subledgers exist, so the close was refused.")),
        (FAILURE, words("The close did not succeed.")),
        (FAILURE, words("The close failed because a period was closed.")),
        (PARTIAL, words("Partly succeeded: the close was done, but the journal J-77 was not posted.")),
        (PENDING, words("Waiting: the close needs a confirmation.")),
        (FAILURE, words("Der Abschluss ist an offenen Nebenbüchern gescheitert.")),
    ],
)
def test_words_that_the_steps_support_are_kept(told: Episode, good: EpisodeWords) -> None:
    assert check_words(good, told) == []


@pytest.mark.parametrize(
    ("told", "bad"),
    [
        (FAILURE, words("The period was closed successfully.")),
        (FAILURE, words("Failed: The period was closed.")),
        (FAILURE, words("Success after an error.")),
        (FAILURE, words("Completed successfully without errors.")),
        (FAILURE, words("All is done.")),
        (FAILURE, words("The close failed.", title="Successful close")),
        (FAILURE, words("The close failed.", title="Period closed")),
        (PARTIAL, words("The period was closed.")),
        (PARTIAL, words("Completed successfully.")),
        (PENDING, words("The period was closed.")),
        (PENDING, words("The close failed.")),
        (SUCCESS, words("The period could not be closed.")),
        (SUCCESS, words("The close failed.")),
        (SUCCESS, words("The close was refused.", title="Close")),
        (RECOVERED, words("The close failed.")),
    ],
)
def test_a_telling_that_contradicts_the_outcome_is_a_problem(told: Episode, bad: EpisodeWords) -> None:
    assert any("does not tell of a" in problem for problem in check_words(bad, told))


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("1011", words("Company 1011 was closed.")),
        ("10", words("The 10 was closed.")),
        ("101", words(title="Close 101")),
        ("2026-04", words("2026-04 was closed.")),
        ("03-2026", words("03-2026 was closed.")),
        ("EU_PRIMARY", words("EU_PRIMARY was closed.")),
        ("US_PRIM", words("US_PRIM was closed.")),
        ("open_period", words(lesson="Call open_period first.")),
        ("openPeriod", words(lesson="Call openPeriod first.")),
        ("reopen", words(lesson="Call reopen() first.")),
        ("ACME", words("ACME was closed.")),
        ("1,010", words("1,010 was closed.")),
        ("three", words("All three steps were done.")),
        ("50", words("It is 50% over.")),
    ],
)
def test_a_number_identifier_or_tool_that_the_narrative_lacks_is_a_problem(name: str, bad: EpisodeWords) -> None:
    assert f"{name!r} does not stand in the narrative" in check_words(bad, SUCCESS)


@pytest.mark.parametrize("amount", ["100", "1,100", "100.50", "1.5", "100.5", "100.500"])
def test_a_part_of_an_amount_is_not_the_amount(amount: str) -> None:
    told = episode(step("post", amount="1,100.50"))
    assert f"{amount!r} does not stand in the narrative" in check_words(words(f"Posted {amount}."), told)


def test_an_amount_at_the_end_of_a_sentence_is_found() -> None:
    told = episode(step("post", amount="1,100.50"))
    assert check_words(words("Posted 1,100.50."), told) == []


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (words(title="x" * 81), "title has 81 characters, more than 80"),
        (words("x" * 301), "overall has 301 characters, more than 300"),
        (words(lesson="x" * 301), "lesson has 301 characters, more than 300"),
        (words("one\ntwo"), "overall has more than one line"),
        (words("one\u2028two"), "overall has more than one line"),
        (words(title="one\rtwo"), "title has more than one line"),
        (words(title=" "), "title is empty"),
        (words(""), "overall is empty"),
    ],
)
def test_words_that_do_not_fit_their_line_are_a_problem(bad: EpisodeWords, problem: str) -> None:
    assert problem in check_words(bad, SUCCESS)


def test_an_empty_lesson_is_no_problem() -> None:
    assert check_words(words("The period was closed.", lesson=""), SUCCESS) == []

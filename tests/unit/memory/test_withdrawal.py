"""In which lines the user takes a fact back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twofold.memory.support import Line
from twofold.memory.withdrawal import naming, withdrawing

COMPANY = "The user is responsible for company 1000."
PROJECT = "The user works on project P-77."
PDF = "The user prefers PDF reports."


def line(text: str, asked: str = "", event: str = "u1") -> Line:
    return Line(event_id=event, text=text, asked=asked, year=2026)


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("Forget company 1000.", COMPANY),
        ("I am no longer responsible for company 1000.", COMPANY),
        ("I am not responsible for company 1000.", COMPANY),
        ("Forget what I told you.", COMPANY),
        ("Vergiss den Buchungskreis.", COMPANY),
        ("Oubliez la société 1000.", COMPANY),
        ("Olvida la empresa 1000.", COMPANY),
        ("Company 1000 was sold last month.", COMPANY),
        ("I gave up company 1000.", COMPANY),
        ("I handed company 1000 over to Ben.", COMPANY),
        ("Company 1000 was handed over.", COMPANY),
        ("Company 1000 is retired. It was terminated.", COMPANY),
        ("Company 1000 was closed down.", COMPANY),
        ("1000 habe ich an Ben abgegeben.", COMPANY),
        ("Buchungskreis 1000 wurde verkauft.", COMPANY),
        ("La société 1000 a été vendue.", COMPANY),
        ("Vendimos la empresa 1000.", COMPANY),
        ("Project P-77 has ended.", PROJECT),
        ("P-77? We finished it.", PROJECT),
        ("Project P\u201177 is completed.", PROJECT),
        ("Projekt P-77 ist abgeschlossen.", PROJECT),
        ("Projekt P-77 ist beendet", PROJECT),
        ("Le projet P-77 est terminé", PROJECT),
        ("El proyecto P-77 ha terminado", PROJECT),
    ],
)
def test_words_of_withdrawal_and_of_an_end_take_a_fact_back(said: str, fact: str) -> None:
    assert withdrawing([line(said)], fact) == (line(said),)


@pytest.mark.parametrize(
    "no", ["No.", "No", "Nein", "Nope", "No, Ben is.", "I'm not.", "Not any more", "Non", "👎", "no, thanks"]
)
def test_a_no_to_the_question_about_it_takes_a_fact_back(no: str) -> None:
    answer = line(no, asked="Are you still responsible for company 1000?")
    assert withdrawing([answer], COMPANY) == (answer,)


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("No.", "Should I forget company 1000?"),
        ("No.", "Are you still responsible for company 1010?"),
        ("No problem", "Are you still responsible for company 1000?"),
        ("No, thanks", "Are you still responsible for company 1000? Anything else?"),
        ("Yes", "Are you still responsible for company 1000?"),
        ("I work with company 1010.", ""),
        ("I am responsible for company 1000.", ""),
        ("I do company 1000.", ""),
        ("What is the balance of company 1000?", ""),
        ("I finished the report.", ""),
        ("We sold a machine in company 1010.", ""),
        ("Thanks!", "Please forget company 1000."),
        ("No.", "Please forget company 1000."),
    ],
)
def test_what_takes_nothing_back(said: str, asked: str) -> None:
    assert withdrawing([line(said, asked)], COMPANY) == naming([line(said, asked)], COMPANY) == ()


@pytest.mark.parametrize(
    ("said", "asked", "fact"),
    [
        ("Company 1000 went to Ben.", "", COMPANY),
        ("Company 1000? Ben does that.", "", COMPANY),
        ("Ben", "Who looks after company 1000?", COMPANY),
        ("Yes", "Is company 1000 with Ben?", COMPANY),
        ("The project is history for me", "", PROJECT),
    ],
)
def test_a_line_that_is_about_the_fact_may_take_it_back(said: str, asked: str, fact: str) -> None:
    assert withdrawing([line(said, asked)], fact) == ()
    assert naming([line(said, asked)], fact) == (line(said, asked),)


@pytest.mark.parametrize(
    ("said", "fact", "taking"),
    [
        (["What is the trial balance?", "Forget that I prefer PDF reports"], PDF, [1]),
        (["Actually, what is the balance?", "Forget that I prefer PDF reports"], PDF, [1]),
        (["I don't like PDF reports.", "Close March."], PDF, [0]),
        (["Close March.", "Forget company 1000.", "And I prefer Excel."], COMPANY, [1]),
        (["I work with company 1000.", "Forget that."], COMPANY, [1]),
        (["Actually, close March.", "I work with company 1000. Forget that."], COMPANY, [1]),
        (["Close March.", "Forget what I told you."], COMPANY, [1]),
        (["Close March.", "Excel, please."], PDF, []),
    ],
)
def test_only_the_lines_that_take_it_back_are_returned(said: list[str], fact: str, taking: list[int]) -> None:
    lines = [line(text, event=f"u{number}") for number, text in enumerate(said)]
    assert withdrawing(lines, fact) == tuple(lines[number] for number in taking)


@given(st.lists(st.text(max_size=80), max_size=4), st.text(max_size=80))
def test_any_text_is_read(texts: list[str], fact: str) -> None:
    lines = [line(text, asked=fact, event=f"u{number}") for number, text in enumerate(texts)]
    assert set(withdrawing(lines, fact)) | set(naming(lines, fact)) <= set(lines)

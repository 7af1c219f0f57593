"""Which identifiers name a thing, and when a change may lose one."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from twofold.memory.exchange import calls_for, lost
from twofold.memory.things import things


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The user works with companies 1000, 1010 and 1020.", {"1000", "1010", "1020"}),
        ("The user closes period 3.", {"3"}),
        ("periods 1 and 2", {"1", "2"}),
        ("the US_PRIMARY ledger", {"us_primary"}),
        ("the US Primary Ledger", {"us"}),
        ("the IFRS ledger, reported as PDF in EUR", {"ifrs"}),
        ("ledger 0L and ledger 2", {"0l", "2"}),
        ("post with FB60/FB50 in 11/25", {"fb60", "fb50", "11/25"}),
        ("asset class 3000 for INV-900", {"3000", "inv-900"}),
        ("Buchungskreis 1000, Kostenstelle 4711", {"1000", "4711"}),
        ("la société 12 et le compte 401000", {"12", "401000"}),
        ("empresa 7, cuenta 430", {"7", "430"}),
        ("cost centers 4000/4100", {"4000", "4100"}),
        ("account 4711", {"4711"}),
        ("reports are due in 5 days, by 9am", set()),
        ("amounts over 5000 EUR or $300 or 10 %", set()),
        ("the user's currency is USD", set()),
        ("a 3-way match with 2 decimals", set()),
        ("company no. 7", {"7"}),
        ("two copies, 14 lines each", set()),
        ("asset class 11\u201325", {"11-25"}),
        ("period 2026-03 and period 2026-03-01", {"2026-03", "2026-03-01"}),
        ("the limit for company 1000 is 5000, for company 1010: 7500", {"1000", "1010"}),
        ("limits apply in 1000 and 1010", {"1000", "1010"}),
        ("The limit is 5000. I use 1000.", {"1000"}),
        ("The limit is high. Now 1000.", {"1000"}),
        ("price list 4711, rate type 1001", {"4711", "1001"}),
        ("amounts go to 400000", {"400000"}),
        ("accounts above 4000", {"4000"}),
        ("ledger 2H", {"2h"}),
        ("telephone +1 (555) 123 4567 in company 1000", {"1000"}),
        ("", set()),
    ],
)
def test_an_identifier_names_a_thing_and_a_quantity_does_not(text: str, expected: set[str]) -> None:
    assert things(text) == expected


COMPANY = ("The user works with company 1000.", "The user works with company 1010.")


@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        (*COMPANY, {"1000"}),
        ("Reports are due in 5 days.", "Reports are due in 7 days.", set()),
        ("The limit is 5000 EUR.", "The limit is 6000 EUR.", set()),
        ("Works with company 1000.", "Works with companies 1000 and 1010.", set()),
        ("Works with companies 1000 and 1010.", "Works with company 1000.", {"1010"}),
        ("Uses US_PRIMARY.", "Uses the US Primary ledger.", set()),
        ("Uses the US Primary ledger.", "Uses the UK Primary ledger.", {"us"}),
        ("Closes 11-25.", "Closes 11-26.", {"11-25"}),
        ("Prefers PDF.", "Prefers Excel.", set()),
        ("Works with company 1000.", "Works with company 10001.", {"1000"}),
    ],
)
def test_what_a_change_loses(before: str, after: str, gone: set[str]) -> None:
    assert lost(before, after) == gone


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The user's approval limit is 5000.", "The user's approval limit is 7500."),
        ("The threshold for company 1000 is 5000.", "The threshold for company 1000 is 7500."),
        ("Die Freigabegrenze liegt bei 5000.", "Die Freigabegrenze liegt bei 7500."),
        ("Le plafond est de 5000.", "Le plafond est de 7500."),
        ("El límite es 5000.", "El límite es 7500."),
        ("Anything above 5000 needs approval.", "Anything above 7500 needs approval."),
        ("Anything above EUR 5000 needs approval.", "Anything above EUR 7500 needs approval."),
        ("The close is due on 2026-10-05.", "The close is due on 2026-11-05."),
        ("Der Abschluss ist am 05.10.2026 fällig.", "Der Abschluss ist am 05.11.2026 fällig."),
        ("The close is due on 10/05/2026.", "The close is due on 11/05/2026."),
        ("La réunion est à 17h30.", "La réunion est à 18h15."),
        ("The user's phone number is 0170 123456.", "The user's phone number is 0170 555666."),
        ("Call +49 711 123456.", "Call +49 711 555666."),
        ("The tolerance is 250 %.", "The tolerance is 300 %."),
    ],
)
def test_a_value_is_replaced_by_the_next_one(before: str, after: str) -> None:
    assert calls_for([after], before, after)


CALLED_FOR = [
    "I now work with company 1010.",
    "Use company 1010 instead.",
    "No longer 1000. 1010 it is.",
    "Not 1000, 1010!",
    "I don't use 1000.",
    "No, company 1010.",
    "Sorry, 1010.",
    "I gave up company 1000 and took on 1010.",
    "Actually 1010.",
    "I was moved to company 1010.",
    "We switched to 1010 last week.",
    "Correction: company 1010.",
    "From now on company 1010.",
    "1000 -> 1010",
    "The other one instead.",
    "Ich arbeite jetzt mit 1010.",
    "Statt 1000 bitte 1010.",
    "1010, nicht 1000.",
    "Ab sofort Buchungskreis 1010.",
    "Mein Buchungskreis wurde auf 1010 umgestellt.",
    "Nicht 1000, sondern 1010.",
    "Je travaille désormais avec 1010.",
    "La société 1010 maintenant.",
    "Plutôt 1010.",
    "1010 au lieu de 1000.",
    "Ahora trabajo con 1010.",
    "Ya no 1000.",
    "1010 en vez de 1000.",
]


@pytest.mark.parametrize("said", CALLED_FOR)
def test_a_word_of_change_calls_for_it(said: str) -> None:
    assert calls_for([said], *COMPANY)


@pytest.mark.parametrize(
    "said",
    [
        "I work with company 1010.",
        "We book in 1000 and 1010.",
        "I also work with company 1010 now.",
        "Ich arbeite jetzt auch mit 1010.",
        "Maintenant aussi 1010.",
        "Close company 1010, please.",
        "What about 1010?",
        "We sold a machine in company 1010.",
        "Company 1010. Please close the books. The report format has changed. Thanks.",
        "",
    ],
)
def test_to_name_another_thing_is_no_change(said: str) -> None:
    assert not calls_for([said], *COMPANY)


def test_a_change_that_loses_no_identifier_needs_no_words() -> None:
    assert calls_for(["7 days"], "Reports are due in 5 days.", "Reports are due in 7 days.")
    assert calls_for(["Excel"], "The user prefers PDF.", "The user prefers Excel.")


codes = st.integers(100, 99_999).map(str)
nouns = st.sampled_from(["company", "ledger", "period", "account", "asset class", "cost center", "Buchungskreis"])


@given(nouns, codes, codes)
def test_two_things_of_one_kind_are_never_exchanged_by_naming_the_second(noun: str, one: str, other: str) -> None:
    before, after = f"The user works with {noun} {one}.", f"The user works with {noun} {other}."
    assert calls_for([f"I work with {noun} {other}."], before, after) is (one == other)
    assert calls_for([f"I work with {noun} {other} instead."], before, after)


@given(st.sampled_from(["limit", "budget", "Betrag", "plafond"]), nouns, codes, codes, codes)
def test_a_value_may_change_and_the_thing_it_belongs_to_may_not(
    value: str, noun: str, code: str, one: str, other: str
) -> None:
    before, after = (f"The {value} for {noun} {code} is {each}." for each in (one, other))
    assert calls_for([after], before, after)
    assert things(before) == {code}


@given(st.text(max_size=200), st.text(max_size=200))
@example("0:_", "")
@example("0 a_b/_", "")
def test_any_text_is_read(one: str, other: str) -> None:
    assert lost(one, one) == set()
    assert lost(one, other) <= things(one)

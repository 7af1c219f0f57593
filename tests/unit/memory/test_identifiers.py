"""The exact identifiers of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twofold.memory.identifiers import identifiers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("company 1000, not 1010.", {"1000", "1010"}),
        ("the US_PRIMARY ledger", {"us_primary"}),
        ("us_primary", {"us_primary"}),
        ("ledger:US_PRIMARY", {"us_primary"}),
        ("period 11-25", {"11-25"}),
        ("invoice INV-90012345!", {"inv-90012345", "90012345"}),
        ("(2026-03)", {"2026-03", "2026"}),
        ("2026-03-31", {"2026-03-31", "2026"}),
        ("31/03/2026", {"31/03/2026", "2026"}),
        ("FB60/FB50", {"fb60/fb50", "fb60", "fb50"}),
        ("GL/AP and GL's", {"gl", "ap"}),
        ("10,000.50 EUR", {"10,000.50", "eur"}),
        ("a 3-way match, v2.1, I am A", {"3-way", "v2.1"}),
        ("asset 100000012345-0001", {"100000012345-0001", "100000012345", "0001"}),
        ("S_ALR_87011963", {"s_alr_87011963", "87011963"}),
        ("\uff11\uff10\uff10\uff10", {"1000"}),
        ("STRASSE Straße", {"strasse"}),
        ("Close the books", set()),
        ("", set()),
    ],
)
def test_identifiers_are_found_as_they_stand_with_their_longer_parts(text: str, expected: set[str]) -> None:
    assert identifiers(text) == expected


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("what about 90012345?", "INV-90012345 was posted"),
        ("inv-90012345", "INV-90012345 was posted"),
        ("Us_Primary", "uses US_PRIMARY"),
        ("FB60", "post with FB60/FB50"),
    ],
)
def test_a_query_meets_the_text_that_has_its_identifier(query: str, text: str) -> None:
    assert identifiers(query) & identifiers(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1000", "1010"),
        ("11-25", "11-26"),
        ("11/25", "11/26"),
        ("US_PRIMARY", "UK_PRIMARY"),
        ("INV-90012345", "INV-90012346"),
    ],
)
def test_two_identifiers_have_nothing_in_common(one: str, other: str) -> None:
    assert not identifiers(one) & identifiers(other)


@given(st.text(max_size=300))
def test_case_and_what_stands_around_do_not_matter(text: str) -> None:
    assert identifiers(f"«1000» {text} (US_PRIMARY).") >= {"1000", "us_primary"}
    assert all(found == found.casefold() and not found.isspace() for found in identifiers(text))

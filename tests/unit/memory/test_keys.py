"""Keys of memories."""

from __future__ import annotations

import pytest

from twofold.memory.keys import episode_key, fact_key, fingerprint
from twofold.memory.scope import Scope

ANNA = Scope(tenant_id="acme", user_id="anna")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Uses US_PRIMARY.", "uses us_primary."),
        ("Uses  the\n ledger", "Uses the ledger"),
        ("Gr\u00f6\u00dfe", "Gro\u0308sse"),
        ("\uff35\uff33", "US"),
    ],
)
def test_texts_that_differ_in_case_spacing_or_unicode_form_are_one(one: str, other: str) -> None:
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(
    ("one", "other"), [("company 1000", "company 1010"), ("11-25", "1125"), ("US_PRIMARY", "US PRIMARY")]
)
def test_texts_that_differ_in_an_identifier_are_two(one: str, other: str) -> None:
    assert fingerprint(one) != fingerprint(other)


def test_a_key_is_the_same_each_time_and_differs_by_scope_session_text_and_kind() -> None:
    other = Scope(tenant_id="acme", user_id="ben")
    keys = [
        fact_key(ANNA, "s1", "text"),
        fact_key(other, "s1", "text"),
        fact_key(ANNA, "s2", "text"),
        fact_key(ANNA, "s1", "other"),
        episode_key(ANNA, "s1"),
        episode_key(ANNA, "s2"),
        episode_key(other, "s1"),
    ]
    assert len(set(keys)) == len(keys)
    assert fact_key(ANNA, "s1", "TEXT ") == keys[0]


def test_ids_with_slashes_cannot_shift_into_each_other() -> None:
    one = episode_key(Scope(tenant_id="a", user_id="b/c"), "d")
    other = episode_key(Scope(tenant_id="a/b", user_id="c"), "d")
    assert one != other

"""Keys of memories."""

from __future__ import annotations

import pytest

from twofold.memory.errors import InvalidInput
from twofold.memory.keys import body_id, episode_key, fact_key, fingerprint, key_of_url
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


@pytest.mark.parametrize("identifier", ["s1", "a/b", "Ünï 中", "", "export", "~tilde", "half \ud800", "nul \x00"])
def test_an_id_in_a_body_is_itself_where_json_can_hold_it_and_is_read_back(identifier: str) -> None:
    told = body_id(identifier)
    assert key_of_url(told) == identifier
    assert (told == identifier) == (not identifier.startswith(("~", "half")))


@pytest.mark.parametrize("given", ["~a*b", "~a", "~_w", "~ä"])
def test_a_text_that_is_no_encoded_id_is_refused_by_the_name_of_its_field(given: str) -> None:
    with pytest.raises(InvalidInput, match=r"session_id: '~.*' is none of ours"):
        key_of_url(given, "session_id")

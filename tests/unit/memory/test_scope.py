"""Labels of tenants and users."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twofold.memory.scope import Scope, identifier_of, label, namespace

any_id = st.text(st.characters(codec=None), max_size=100) | st.text(alphabet="x-h1a.LANGRPHlangrph_%", max_size=70)


@pytest.mark.parametrize("identifier", ["anna", "shop2", "A-1_b", "x", "1", "LANGGRAPH", "a" * 64])
def test_a_plainly_safe_id_is_its_own_label(identifier: str) -> None:
    assert label(identifier) == identifier


@pytest.mark.parametrize(
    "identifier",
    ["", "langgraph", "anna.meier@acme.com", "100%", "a b", "x-abc", "h-abc", "日本", "a" * 3000, "\ud800", "a\x00"],
)
def test_any_other_id_is_encoded(identifier: str) -> None:
    made = label(identifier)
    assert made != identifier
    assert made.startswith(("x-", "h-"))


@given(any_id, any_id)
def test_two_ids_never_share_a_label(one: str, other: str) -> None:
    assert (label(one) == label(other)) == (one == other)


@given(any_id)
def test_a_label_is_what_every_store_takes(identifier: str) -> None:
    made = label(identifier)
    assert 0 < len(made) <= 64
    assert set(made) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
    assert made != "langgraph"
    if made != identifier:
        assert label(made) != made


def test_ids_that_only_together_are_alike_have_namespaces_of_their_own() -> None:
    one = namespace(Scope(tenant_id="a/b", user_id="c"), "semantic")
    other = namespace(Scope(tenant_id="a", user_id="b/c"), "semantic")
    assert one != other
    assert namespace(Scope(tenant_id="acme", user_id="anna"), "episodic") == ("acme", "episodic", "anna")


@given(any_id)
def test_a_label_tells_the_id_it_stands_for_unless_it_is_a_hash(identifier: str) -> None:
    made = label(identifier)
    assert identifier_of(made) == (None if made.startswith("h-") else identifier)


@pytest.mark.parametrize("given_label", ["x-", "x-1", "x-a", "x-me", "x-ABC", "x-mfxg4y", "h-abc"])
def test_what_is_no_label_of_ours_stands_for_nothing(given_label: str) -> None:
    found = identifier_of(given_label)
    assert found is None or label(found) == given_label

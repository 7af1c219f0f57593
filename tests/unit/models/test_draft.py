"""Known facts while a conversation is read."""

from __future__ import annotations

from tests.contract.samples import known
from twofold.memory.memories import FactChange
from twofold.models.draft import Draft


def test_known_facts_have_short_handles_in_their_order() -> None:
    assert list(Draft(known("A", "B")).facts()) == [("m1", "A"), ("m2", "B")]


def test_an_untouched_draft_changes_nothing() -> None:
    assert Draft(known("A", "B")).changes() == ()


def test_two_updates_of_one_fact_are_one_change_with_the_sources_of_both() -> None:
    draft = Draft(known("A"))
    draft.update("m1", "B", ["v1"])
    draft.update("m1", "C", ["v2", "v1"])
    assert draft.changes() == (FactChange(action="UPDATE", key="k1", text="C", event_ids=("v1", "v2")),)


def test_an_update_back_to_what_was_known_changes_nothing() -> None:
    draft = Draft(known("A"))
    draft.update("m1", "B", ["v1"])
    draft.update("m1", "A", ["v2"])
    assert draft.changes() == ()


def test_an_added_fact_can_be_updated_and_stays_one_addition() -> None:
    draft = Draft([])
    draft.update(draft.add("A", ["v1"]), "B", ["v2"])
    assert draft.changes() == (FactChange(action="ADD", text="B", event_ids=("v1", "v2")),)


def test_an_added_fact_that_is_dropped_again_leaves_nothing() -> None:
    draft = Draft([])
    draft.delete(draft.add("A", ["v1"]), ["v2"])
    assert draft.changes() == ()
    assert list(draft.facts()) == []


def test_an_equal_text_said_twice_is_one_addition_with_both_sources() -> None:
    draft = Draft([])
    draft.add("The user prefers PDF.", ["v1"])
    draft.add("the user  prefers pdf.", ["v2"])
    assert draft.changes() == (FactChange(action="ADD", text="The user prefers PDF.", event_ids=("v1", "v2")),)


def test_a_known_text_said_again_is_an_addition_which_the_store_turns_into_a_source() -> None:
    draft = Draft(known("A"))
    draft.add("A", ["v1"])
    assert draft.changes() == (FactChange(action="ADD", text="A", event_ids=("v1",)),)


def test_a_dropped_fact_that_is_updated_stands_again() -> None:
    draft = Draft(known("A"))
    draft.delete("m1", ["v1"])
    draft.update("m1", "B", ["v2"])
    assert draft.changes() == (FactChange(action="UPDATE", key="k1", text="B", event_ids=("v1", "v2")),)


def test_a_known_fact_that_is_dropped_is_a_deletion() -> None:
    draft = Draft(known("A", "B"))
    draft.delete("m2", ["v1"])
    assert draft.changes() == (FactChange(action="DELETE", key="k2", event_ids=("v1",)),)

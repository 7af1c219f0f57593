"""How a long conversation is cut for an extractor."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.nodes.ports import memory
from twofold.memory.chunks import chunks, known_after, settled, window
from twofold.memory.memories import FactChange
from twofold.memory.steps import Role, Turn


def turn(event_id: str, role: Role = "user", text: str = "text", *, context: bool = False) -> Turn:
    return Turn(event_id=event_id, role=role, text=text, at=datetime(2026, 4, 1, tzinfo=UTC), context=context)


def test_the_window_holds_the_unseen_turns_and_the_last_four_before_them() -> None:
    turns = [turn(f"s{n}", context=True) for n in range(9)] + [turn("n1"), turn("n2", "agent")]
    assert [t.event_id for t in window(turns)] == ["s5", "s6", "s7", "s8", "n1", "n2"]


def test_the_window_is_empty_when_everything_was_seen() -> None:
    assert window([turn("s1", context=True)]) == ()


def test_a_seen_turn_after_an_unseen_one_stays_in_its_place() -> None:
    turns = [turn("n1"), turn("s1", context=True)]
    assert window(turns) == tuple(turns)


turns_of_any_length = st.lists(
    st.builds(turn, st.uuids().map(str), st.sampled_from(("user", "agent")), st.text(max_size=30)), max_size=30
)


@given(turns_of_any_length, st.integers(min_value=1, max_value=60))
def test_no_user_turn_is_lost_or_repeated_and_none_is_cut(turns: list[Turn], characters: int) -> None:
    groups = list(chunks(turns, characters=characters))
    read = [t for group in groups for t in group]
    assert [t for t in read if t.role == "user"] == [t for t in turns if t.role == "user"]
    assert all(len(group) == 1 or sum(len(t.text) for t in group) <= characters for group in groups)


def test_a_group_without_an_unseen_user_turn_is_left_out() -> None:
    turns = [turn("s1", text="a" * 10, context=True), turn("a1", "agent", "b" * 10), turn("u1", text="c" * 10)]
    assert [[t.event_id for t in group] for group in chunks(turns, characters=10)] == [["u1"]]


def test_the_next_chunk_sees_the_facts_as_the_chunks_before_left_them() -> None:
    known = [memory("k1"), memory("k2"), memory("k3")]
    changes = [
        FactChange(action="ADD", text="new"),
        FactChange(action="UPDATE", key="k1", text="reworded"),
        FactChange(action="DELETE", key="k2"),
    ]
    seen = known_after(known, changes)
    assert [m.text for m in seen] == ["reworded", "text of k3", "new"]
    assert len({m.key for m in seen}) == 3


def test_a_fact_changed_by_two_chunks_is_changed_once_by_the_last_and_rests_on_both() -> None:
    changes = [
        FactChange(action="UPDATE", key="k1", text="first", event_ids=("u1",)),
        FactChange(action="ADD", text="new", event_ids=("u1",)),
        FactChange(action="UPDATE", key="k1", text="last", event_ids=("u2",)),
    ]
    assert settled(changes) == (
        FactChange(action="ADD", text="new", event_ids=("u1",)),
        FactChange(action="UPDATE", key="k1", text="last", event_ids=("u1", "u2")),
    )


def test_a_fact_added_by_one_chunk_is_corrected_or_dropped_by_a_later_one() -> None:
    added = [FactChange(action="ADD", text="USD", event_ids=("u1",)), FactChange(action="ADD", text="PDF")]
    (usd, pdf) = known_after([], added)
    changes = [
        *added,
        FactChange(action="UPDATE", key=usd.key, text="EUR", event_ids=("u2",)),
        FactChange(action="DELETE", key=pdf.key),
    ]
    assert settled(changes) == (FactChange(action="ADD", text="EUR", event_ids=("u1", "u2")),)
    assert [m.text for m in known_after([], changes)] == ["EUR"]

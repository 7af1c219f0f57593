"""What of a conversation is sent, and how a long one is cut for an extractor."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.nodes.ports import memory
from twofold.memory.chunks import (
    AGENT_TURNS,
    CHUNK_BYTES,
    TURN_BYTES,
    chunks,
    exchanges,
    known_after,
    settled,
    unseen,
)
from twofold.memory.memories import FactChange
from twofold.memory.steps import Role, Turn
from twofold.models.conversation import render


def turn(event_id: str, role: Role = "user", text: str = "text", *, context: bool = False) -> Turn:
    return Turn(event_id=event_id, role=role, text=text, at=datetime(2026, 4, 1, tzinfo=UTC), context=context)


def ids(turns: tuple[Turn, ...]) -> list[str]:
    return [each.event_id for each in turns]


def test_what_was_seen_is_not_sent_again_not_even_as_context() -> None:
    turns = [turn("u1", context=True), turn("a1", "agent", context=True), turn("a2", "agent"), turn("u2")]
    assert ids(unseen(turns)) == ["a2", "u2"]


def test_what_the_agent_said_last_waits_for_the_users_answer() -> None:
    turns = [turn("u1"), turn("a1", "agent"), turn("a2", "agent")]
    assert ids(unseen(turns)) == ["u1"]
    seen = [turn("u1", context=True), *turns[1:], turn("u2")]
    assert ids(unseen(seen)) == ["a1", "a2", "u2"]


def test_without_a_new_turn_of_the_user_nothing_is_sent_and_nothing_counts_as_seen() -> None:
    turns = [turn("u1", context=True), turn("a1", "agent")]
    assert unseen(turns) == ()
    assert list(chunks(turns)) == []


roles: st.SearchStrategy[Role] = st.sampled_from(("user", "agent"))
turns_of_any_length = st.lists(
    st.tuples(
        roles,
        st.text(st.sampled_from("ab 1\n.漢<"), min_size=1, max_size=60),
        st.booleans(),
    ),
    max_size=30,
).map(
    lambda drawn: [
        turn(f"{role}{number}", role, text, context=context) for number, (role, text, context) in enumerate(drawn)
    ]
)


@given(turns_of_any_length, st.data())
def test_however_a_session_grows_each_turn_is_sent_at_most_once_and_each_of_the_users_exactly_once(
    turns: list[Turn], data: st.DataObject
) -> None:
    sent: list[str] = []
    turns = [turn(each.event_id, each.role, each.text) for each in turns]
    for end in [*sorted(data.draw(st.sets(st.integers(0, len(turns)), max_size=4))), len(turns)]:
        now = [turn(each.event_id, each.role, each.text, context=each.event_id in sent) for each in turns[:end]]
        sent += ids(unseen(now))
    assert len(sent) == len(set(sent))
    assert {each.event_id for each in turns if each.role == "user"} <= set(sent)


@given(turns_of_any_length, st.integers(min_value=8, max_value=90))
def test_all_that_the_user_says_is_read_once_in_order_under_its_event(turns: list[Turn], most: int) -> None:
    read = [each for group in chunks(turns, chunk_bytes=most, turn_bytes=max(8, most // 2)) for each in group]
    said = {each.event_id: each.text for each in turns if each.role == "user" and not each.context}
    assert list(dict.fromkeys(each.event_id for each in read if each.role == "user")) == list(said)
    for event_id, text in said.items():
        assert "".join(each.text for each in read if each.event_id == event_id) == text


@given(turns_of_any_length, st.integers(min_value=8, max_value=90))
def test_a_chunk_ends_with_the_user_and_no_answer_is_parted_from_its_question(turns: list[Turn], most: int) -> None:
    sent = unseen(turns)
    before = {each.event_id: sent[at - 1] for at, each in enumerate(sent) if at and each.role == "user"}
    for group in chunks(turns, chunk_bytes=most, turn_bytes=10_000):
        assert group[-1].role == "user"
        for at, each in enumerate(group):
            asked = before.get(each.event_id)
            if asked is not None and asked.role == "agent":
                assert group[at - 1] == asked


def test_of_a_long_speech_of_agents_the_last_turns_are_sent() -> None:
    (exchange,) = exchanges([*(turn(f"a{number}", "agent") for number in range(9)), turn("u1")])
    assert ids(exchange) == ["a5", "a6", "a7", "a8", "u1"]
    assert len(exchange) == AGENT_TURNS + 1


hostile = st.lists(
    st.tuples(
        roles,
        st.text(st.sampled_from("a <>\n漢😀\u2028"), min_size=1, max_size=9),
        st.sampled_from((1, 100, 400, 1_500)),
    ),
    min_size=1,
    max_size=5,
)


@settings(deadline=None)
@given(hostile)
def test_no_chunk_is_shown_in_more_than_its_bytes(drawn: list[tuple[Role, str, int]]) -> None:
    turns = [turn(f"v{number}", role, text * times) for number, (role, text, times) in enumerate(drawn)]
    for group in chunks([*turns, turn("short")]):
        assert len(render(group).text.encode()) <= CHUNK_BYTES


def test_many_short_turns_count_with_their_lines() -> None:
    groups = list(chunks([turn(f"u{number}", text="x") for number in range(2_000)]))
    assert len(groups) > 2
    assert all(len(render(group).text) <= CHUNK_BYTES for group in groups)


def test_a_turn_that_is_longer_than_a_piece_is_read_whole_in_several_requests() -> None:
    text = "The weather was discussed at length. " * 1_500
    groups = list(chunks([turn("u1", text=text)]))
    assert len(groups) > len(text) // CHUNK_BYTES
    assert all(len(each.text) <= TURN_BYTES for group in groups for each in group)
    assert "".join(each.text for group in groups for each in group) == text


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

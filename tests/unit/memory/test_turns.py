"""What was said, and what was answered in forms."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.memory.entries import agent, answered, called, session, user
from twofold.memory.answers import form_text, is_confirmed
from twofold.memory.jsontypes import Json
from twofold.memory.transcript import Entry
from twofold.memory.turns import turns_of

SCHEMA: Json = {
    "type": "object",
    "properties": {"ledger": {"title": "Ledger name"}, "period": {"title": ""}, "x": "odd"},
}


def said(*entries: Entry) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in turns_of(session(*entries))]


def test_a_turn_is_the_users_only_when_the_user_is_its_author() -> None:
    assert said(user("Close the books"), agent("Done")) == [("user", "Close the books"), ("agent", "Done")]


def test_the_parts_of_one_message_are_one_turn_and_two_messages_are_two() -> None:
    one = [replace(user("a"), event_id="e"), replace(user("b"), event_id="e", part=1)]
    assert said(*one, user("c")) == [("user", "a\nb"), ("user", "c")]


def test_a_turn_keeps_the_event_and_time_of_its_beginning() -> None:
    entries = session(user("Close "), user("the books"))
    [turn] = turns_of(replace(entry, chunk=True) for entry in entries)
    assert (turn.event_id, turn.at, turn.text) == ("e0", entries[0].at, "Close the books")


def test_the_pieces_of_a_transcription_are_one_turn_up_to_its_end() -> None:
    pieces = [user("Close ", chunk=True), user("the "), user("next"), agent("Do", chunk=True), agent("ne")]
    assert said(*pieces) == [("user", "Close the"), ("user", "next"), ("agent", "Done")]


def test_what_stands_between_two_texts_keeps_them_apart() -> None:
    assert said(agent("a", chunk=True), called("post"), agent("b")) == [("agent", "a"), ("agent", "b")]


def test_blank_texts_are_no_turns() -> None:
    assert said(user(" \n"), agent("", chunk=True)) == []


def test_the_answer_to_a_form_is_a_turn_of_the_user_in_the_words_of_the_form() -> None:
    form = called("adk_request_input", "f1", args={"message": "Which?", "response_schema": SCHEMA})
    assert said(form, answered("f1", {"ledger": "US Primary", "period": "Jan-26"})) == [
        ("user", "Ledger name: US Primary\nPeriod: Jan-26")
    ]


def test_an_answer_whose_form_is_not_known_is_a_turn_too() -> None:
    assert said(answered("f1", {"ledger": "US Primary"})) == [("user", "Ledger: US Primary")]


@pytest.mark.parametrize(
    ("answer", "request_args", "text"),
    [
        ({"bookTypeCode": "CORP"}, None, "Book Type Code: CORP"),
        ({"book_type": "CORP", "empty": "", "none": None}, {}, "Book type: CORP"),
        ({"post": True, "draft": False, "count": 0}, {}, "Post: yes\nDraft: no\nCount: 0"),
        ({"ledgers": ["US", "UK"], "range": {"to": 2, "from": 1}}, {}, 'Ledgers: US, UK\nRange: {"from": 1, "to": 2}'),
        ({"result": "US Primary"}, {"message": "Which ledger?"}, "Which ledger? US Primary"),
        ({"result": '{"ledger": "US Primary"}'}, {}, "Ledger: US Primary"),
        ({"response": '{"ledger": "US Primary"}'}, {}, "Ledger: US Primary"),
        ({"result": "{not json"}, {}, "{not json"),
        ("US Primary", {"message": 7}, "US Primary"),
        (["US", "UK"], {"message": "Which?"}, "Which? US, UK"),
        (None, {"message": "Which?"}, ""),
        ({}, {"message": "Which?"}, ""),
    ],
)
def test_an_answer_is_worded_field_by_field(answer: Json, request_args: Json, text: str) -> None:
    assert form_text(answer, request_args) == text


@pytest.mark.parametrize(
    ("payload", "approves"),
    [
        ({"confirmed": True}, True),
        ({"confirmed": True, "payload": {"amount": 1}}, True),
        ({"response": '{"confirmed": true}'}, True),
        ({"confirmed": False}, False),
        ({"confirmed": "true"}, False),
        ({"result": "yes"}, False),
        (None, False),
        ("{", False),
    ],
)
def test_only_a_plain_yes_approves(payload: Json, *, approves: bool) -> None:
    assert is_confirmed(payload) is approves

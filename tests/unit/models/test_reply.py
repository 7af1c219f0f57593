"""The audit of raw replies, without any model."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage

from twofold.models.reply import reply_problems
from twofold.models.schemas import SCHEMAS, Memory

KNOWN: dict[str, dict[str, Any]] = {
    "m1": {"content": "The user prefers PDF.", "event_ids": []},
    "m2": {"content": "The user works with company 1000.", "event_ids": []},
}


def reply(*calls: tuple[str, dict[str, Any]], **metadata: str) -> AIMessage:
    return AIMessage(
        content="",
        tool_calls=[
            {"name": name, "args": args, "id": f"c{number}", "type": "tool_call"}
            for number, (name, args) in enumerate(calls)
        ],
        response_metadata=metadata,
    )


def patch(target: Any, *edits: dict[str, Any], **more: Any) -> tuple[str, dict[str, Any]]:
    return "PatchDoc", {"json_doc_id": target, "planned_edits": "", "patches": list(edits)} | more


EXCEL = {"op": "replace", "path": "/content", "value": "The user prefers Excel."}


def problems(*replies: AIMessage, known: bool = True, **documents: object) -> list[str]:
    shown = KNOWN if known else {}
    return reply_problems(replies, schemas=SCHEMAS, known=shown, documents={**shown, **documents})


@pytest.mark.parametrize(
    "good",
    [
        reply(("Memory", {"content": "A fact."})),
        reply(("Memory", {"content": "A fact.", "event_ids": ["e1"]}), ("Memory", {"content": "Another."})),
        reply(("NothingToRemember", {})),
        reply(("RemoveDoc", {"json_doc_id": "m1"}), ("RemoveDoc", {"json_doc_id": "m2"})),
        reply(patch("m1")),
        reply(patch("m1", {"op": "replace", "path": "/content", "value": "The user prefers PDF."})),
        reply(("NothingToRemember", {}), finish_reason="tool_calls"),
    ],
)
def test_a_reply_that_was_understood_has_no_problem(good: AIMessage) -> None:
    assert problems(good) == []


def test_a_patch_that_came_back_changed_has_no_problem() -> None:
    assert problems(reply(patch("m1", EXCEL)), m1=Memory(content="The user prefers Excel.")) == []


def test_patches_sent_as_a_text_of_json_are_read_as_trustcall_reads_them() -> None:
    text = '[{"op": "replace", "path": "/content", "value": "The user prefers Excel."}]'
    changed = Memory(content="The user prefers Excel.")
    assert problems(reply(patch("m1", patches=text)), m1=changed) == []
    assert problems(reply(patch("m1", patches=text))) == ["PatchDoc for 'm1' changes nothing"]


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (reply(("Memory", {"content": "x"}), finish_reason="length"), "it was cut short (length)"),
        (reply(("Memory", {"content": "x"}), finish_reason="content_filter"), "it was cut short (content_filter)"),
        (reply(("Memory", {"content": "x"}), status="incomplete"), "it was cut short (incomplete)"),
        (reply(), "it calls no tool"),
        (AIMessage(content="There is nothing to remember."), "it calls no tool"),
        (reply(("Note", {"content": "x"})), "there is no tool 'Note'"),
        (reply(("Memory", {"text": "x"})), "Memory: content: Field required"),
        (reply(("Memory", {"content": ""})), "Memory: content: String should have at least 1 character"),
        (reply(("Memory", {"content": "x" * 1001})), "Memory: content: String should have at most 1000 characters"),
        (reply(patch("m9", EXCEL)), "PatchDoc names 'm9', which does not exist"),
        (reply(patch(1, EXCEL)), "PatchDoc: json_doc_id: Input should be a valid string"),
        (reply(("RemoveDoc", {"json_doc_id": "m9"})), "RemoveDoc names 'm9', which does not exist"),
        (reply(patch("m1", EXCEL), patch("m1", EXCEL)), "'m1' is changed twice"),
        (reply(patch("m1"), ("RemoveDoc", {"json_doc_id": "m1"})), "'m1' is changed twice"),
        (reply(patch("m1", EXCEL)), "PatchDoc for 'm1' changes nothing"),
    ],
)
def test_a_reply_that_lost_something_has_the_problem(bad: AIMessage, problem: str) -> None:
    assert problem in problems(bad)


def test_prose_in_place_of_patches_is_a_problem() -> None:
    assert any(each.startswith("PatchDoc: patches") for each in problems(reply(patch("m1", patches="make it Excel"))))


def test_arguments_that_are_no_json_are_a_problem_even_beside_a_good_call() -> None:
    half = reply(("Memory", {"content": "x"}))
    half.invalid_tool_calls = [
        {"name": "Memory", "args": '{"content', "id": "c9", "error": None, "type": "invalid_tool_call"}
    ]
    assert problems(half) == ["the arguments of 'Memory' are no JSON object"]


def test_two_calls_with_one_id_are_a_problem_because_one_would_be_written_over_the_other() -> None:
    twice = reply(patch("m1", EXCEL), ("Memory", {"content": "New."}))
    for call in twice.tool_calls:
        call["id"] = "same"
    assert "two of its calls have the same id" in problems(twice, m1=Memory(content="New."))


def test_no_reply_at_all_is_a_problem() -> None:
    assert problems() == ["it calls no tool"]


def test_without_known_documents_there_is_nothing_to_patch_or_remove() -> None:
    assert problems(reply(patch("m1", EXCEL)), known=False) == ["there is no tool 'PatchDoc'"]
    assert problems(reply(("RemoveDoc", {"json_doc_id": "m1"})), known=False) == ["there is no tool 'RemoveDoc'"]

"""How LangMem is asked for facts, and what becomes of its answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from tests.contract.samples import known, said, turn
from twofold.memory.chunks import chunks
from twofold.memory.memories import FactChange
from twofold.memory.neighbours import shown_to
from twofold.models.facts import LangMemFactExtractor
from twofold.testing import OpenAIDouble, Reply


def patch(target: str, *edits: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    return "PatchDoc", {"json_doc_id": target, "planned_edits": "", "patches": list(edits)}


def content(value: str) -> dict[str, Any]:
    return {"op": "replace", "path": "/content", "value": value}


def source(event: str) -> dict[str, Any]:
    return {"op": "add", "path": "/event_ids/-", "value": event}


async def test_a_good_conversation_takes_one_request_whose_tools_and_budget_are_ours(
    double: OpenAIDouble, facts: LangMemFactExtractor
) -> None:
    await facts.extract(said("I prefer PDF"), known("The user works with company 1010."))
    (request,) = double.requests
    assert set(request.tools) == {"Memory", "NothingToRemember", "PatchDoc", "RemoveDoc"}
    assert request.body["tool_choice"] == "required"
    assert request.body["max_completion_tokens"] == 4_000
    assert "[e1 2026-10-01 12:00] user: I prefer PDF" in request.text
    assert "<instance id=m1 schema_type=\"Memory\">\n{'content': 'The user works with company 1010.'" in request.text


async def test_the_largest_request_fits_a_context_of_16_000_tokens_with_its_reply(
    double: OpenAIDouble, facts: LangMemFactExtractor
) -> None:
    double.always("Memory", Reply.tools(("NothingToRemember", {})))
    turns = [turn("Der Buchungskreis wird geprüft. " * 9, event_id=f"v{number}") for number in range(80)]
    chunk, *_ = chunks(turns)
    shown = shown_to(chunk, known(*(f"Der Bericht {number} geht an Jürgen. " * 9 for number in range(20))), [])
    await facts.extract(chunk, shown)
    (request,) = double.requests
    assert len(request.text.encode()) > 26_000
    size = len(request.text.encode()) + len(json.dumps(request.body["tools"]))
    assert size / 3 + request.body["max_completion_tokens"] <= 16_000


async def test_a_tool_call_is_forced_also_where_nothing_is_known(
    double: OpenAIDouble, facts: LangMemFactExtractor
) -> None:
    await facts.extract(said("I prefer PDF"), [])
    (request,) = double.requests
    assert request.body["tool_choice"] == "required"
    assert set(request.tools) == {"Memory", "NothingToRemember"}


async def test_the_event_keys_and_fact_keys_of_the_store_are_not_shown_to_the_model(
    double: OpenAIDouble, facts: LangMemFactExtractor
) -> None:
    await facts.extract([turn("I prefer PDF", event_id="event-key-77")], known("The user speaks German."))
    assert "event-key-77" not in double.requests[0].text
    assert "k1" not in double.requests[0].text


async def test_added_updated_and_deleted_facts_come_back_with_their_keys_and_events(
    double: OpenAIDouble, facts: LangMemFactExtractor
) -> None:
    double.script(
        "Memory",
        Reply.tools(
            patch("m1", content("The user prefers Excel."), source("e2")),
            ("RemoveDoc", {"json_doc_id": "m2"}),
            ("Memory", {"content": "The user's approver is Anna.", "event_ids": ["e1"]}),
        ),
    )
    turns = said("Anna approves", "Excel now, and forget the company")
    changes = await facts.extract(turns, known("PDF.", "Company 1000.", "German."))
    assert list(changes) == [
        FactChange(action="UPDATE", key="k1", text="The user prefers Excel.", event_ids=("v2",)),
        FactChange(action="DELETE", key="k2", event_ids=("v2",)),
        FactChange(action="ADD", text="The user's approver is Anna.", event_ids=("v1",)),
    ]


@pytest.mark.parametrize(
    "reply",
    [
        Reply.tools(("NothingToRemember", {})),
        Reply.tools(patch("m1")),
        Reply.tools(patch("m1", content("The user prefers PDF."))),
        Reply.tools(patch("m1", source("e1"))),
    ],
    ids=["nothing to remember", "no patches", "same content", "another source only"],
)
async def test_a_reply_that_changes_no_text_changes_nothing(
    reply: Reply, double: OpenAIDouble, facts: LangMemFactExtractor
) -> None:
    double.script("Memory", reply)
    assert list(await facts.extract(said("I prefer PDF"), known("The user prefers PDF."))) == []
    assert len(double.requests) == 1


async def test_a_fact_is_kept_beside_a_call_that_says_nothing(
    double: OpenAIDouble, facts: LangMemFactExtractor
) -> None:
    double.script(
        "Memory", Reply.tools(("NothingToRemember", {}), ("Memory", {"content": "A fact.", "event_ids": ["e1"]}))
    )
    assert [change.text for change in await facts.extract(said("one"), [])] == ["A fact."]


async def test_no_request_is_made_without_a_new_user_turn(double: OpenAIDouble, facts: LangMemFactExtractor) -> None:
    turns = [turn("before", context=True), turn("I prefer PDF", role="agent")]
    assert list(await facts.extract(turns, known("The user prefers PDF."))) == []
    assert double.requests == []


async def test_what_was_seen_and_what_waits_for_an_answer_is_not_sent(
    double: OpenAIDouble, facts: LangMemFactExtractor
) -> None:
    turns = [
        turn("Seen words", event_id="v0", context=True),
        turn("Which format?", event_id="v1", role="agent"),
        turn("PDF", event_id="v2"),
        turn("Waiting words", event_id="v3", role="agent"),
    ]
    await facts.extract(turns, [])
    (request,) = double.requests
    assert "Which format?" in request.text
    assert not {"Seen words", "Waiting words"} & set(request.text.replace("\n", ": ").split(": "))


async def test_the_models_text_is_cleaned_and_put_on_one_line(
    double: OpenAIDouble, facts: LangMemFactExtractor
) -> None:
    text = " The user\x00 prefers\n\ud83d PDF. "
    double.script("Memory", Reply.tools(("Memory", {"content": text, "event_ids": ["e1"]})))
    (change,) = await facts.extract(said("PDF"), [])
    assert change.text == "The user prefers PDF."


async def test_a_known_fact_with_markup_in_it_is_left_alone_when_the_model_leaves_it(
    double: OpenAIDouble, facts: LangMemFactExtractor
) -> None:
    double.script("Memory", Reply.tools(patch("m1", source("e1"))))
    assert list(await facts.extract(said("Hello"), known("Write  <instance> tags."))) == []


async def test_it_works_as_a_step_of_a_checkpointed_graph_that_is_streamed(
    double: OpenAIDouble, facts: LangMemFactExtractor
) -> None:
    class State(TypedDict):
        changed: int

    async def extract(state: State) -> State:
        return {"changed": len(await facts.extract(said("I prefer PDF"), known("The user prefers Excel.")))}

    graph = StateGraph(State)
    graph.add_node("extract", extract)
    graph.add_edge(START, "extract")
    graph.add_edge("extract", END)
    compiled = graph.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t1"}}
    parts = [part async for part in compiled.astream({"changed": 0}, config, stream_mode=["messages", "values"])]
    assert parts[-1] == ("values", {"changed": 1})
    assert [request.body["stream"] for request in double.requests] == [False]

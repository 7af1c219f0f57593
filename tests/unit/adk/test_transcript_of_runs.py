"""Sessions as ADK's own Runner leaves them, split into turns and steps."""

from __future__ import annotations

from typing import Any

from google.adk.events.event import Event
from google.adk.models.llm_response import LlmResponse
from google.adk.tools._request_input_tool import request_input
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.long_running_tool import LongRunningFunctionTool

from tests.unit.adk.scripted import Conversation, ToolDown, calls, says
from twofold.adk.transcript import transcript_of
from twofold.memory.splitting import split


def close_period(ledger: str, period: str) -> dict[str, str]:
    """Close a period."""
    return {"status": "closed"} if period != "2026-02" else {"status": "error", "error_message": "3 open journals"}


def db_down(ledger: str) -> dict[str, str]:
    """Fail."""
    raise ToolDown("db down")


def start_job(job: str) -> dict[str, str]:
    """Start a job."""
    return {"status": "pending", "job": job}


def start_silently(job: str) -> None:
    """Start a job and say nothing."""


async def told(conversation: Conversation) -> list[str]:
    """Return the narrative's lines without the requests."""
    episode = split(transcript_of(await conversation.session())).episode
    return [line for line in episode.narrative.splitlines() if not line.startswith("Request")] if episode else []


async def said(conversation: Conversation) -> list[tuple[str, str]]:
    turns = split(transcript_of(await conversation.session())).turns
    return [(turn.role, turn.text) for turn in turns]


def closes(period: str, ledger: str = "US") -> tuple[str, dict[str, Any]]:
    return ("close_period", {"period": period, "ledger": ledger})


async def test_a_failure_and_its_repetition_are_told_in_order() -> None:
    talk = Conversation(calls(closes("2026-02")), calls(closes("2026-03")), says("Closed"), tools=[close_period])
    await talk.say("Close the books")
    assert await told(talk) == [
        'close_period(ledger="US", period="2026-02") → FAILURE: 3 open journals',
        'close_period(ledger="US", period="2026-03") → SUCCESS',
        "Result: success. 1 of 2 steps succeeded. Repeated with success after failing: 1.",
    ]
    assert await said(talk) == [("user", "Close the books"), ("agent", "Closed")]


async def test_parallel_calls_pair_by_id_and_a_failed_sibling_is_not_made_good() -> None:
    talk = Conversation(calls(closes("2026-02"), closes("2026-03")), says("Closed one"), tools=[close_period])
    await talk.say("Close both")
    first, second, result = await told(talk)
    assert first.endswith("FAILURE: 3 open journals")
    assert second.endswith("SUCCESS")
    assert result == "Result: partial. 1 of 2 steps succeeded. close_period: 3 open journals"


async def test_a_tool_that_raises_is_a_failure_and_its_finished_sibling_is_not() -> None:
    talk = Conversation(calls(closes("2026-03"), ("db_down", {"ledger": "US"})), tools=[close_period, db_down])
    await talk.say("Close the books")
    assert await told(talk) == [
        'close_period(ledger="US", period="2026-03") → SUCCESS',
        'db_down(ledger="US") → FAILURE: ToolDown: db down',
        "Result: failure. 1 of 2 steps succeeded. db_down: ToolDown: db down",
    ]


async def test_a_missing_argument_and_a_made_up_tool_are_failures_without_advice() -> None:
    talk = Conversation(
        calls(("close_period", {"ledger": "US"})), calls(("nope", {})), says("Sorry"), tools=[close_period]
    )
    await talk.say("Close the books")
    missing, unknown, _ = await told(talk)
    assert missing.endswith("the following mandatory input parameters are not present: period")
    assert unknown.startswith("nope() → FAILURE: ")
    assert "retry" not in unknown


async def test_an_error_of_the_model_ends_the_run_as_a_failure() -> None:
    talk = Conversation(calls(closes("2026-03")), ToolDown("overloaded"), tools=[close_period])
    await talk.say("Close the books")
    assert await told(talk) == [
        'close_period(ledger="US", period="2026-03") → SUCCESS',
        "Result: failure. 1 of 1 steps succeeded. ToolDown: overloaded",
    ]


async def test_a_refusal_of_the_model_alone_is_no_episode() -> None:
    talk = Conversation(LlmResponse(error_code="SAFETY", error_message="blocked"))
    await talk.say("Close the books")
    assert await told(talk) == []


async def test_a_long_running_tool_is_pending_until_its_result_comes() -> None:
    talk = Conversation(
        calls(("start_job", {"job": "j1"})), says("Started"), says("Done"), tools=[LongRunningFunctionTool(start_job)]
    )
    await talk.say("Run it")
    assert await told(talk) == [
        'start_job(job="j1") → PENDING: pending',
        "Result: pending. 0 of 1 steps succeeded. start_job: pending",
    ]
    await talk.answer("start_job", {"status": "done"})
    assert await told(talk) == ['start_job(job="j1") → SUCCESS', "Result: success. 1 of 1 steps succeeded."]


async def test_a_long_running_tool_that_says_nothing_is_pending() -> None:
    talk = Conversation(calls(("start_silently", {"job": "j1"})), tools=[LongRunningFunctionTool(start_silently)])
    await talk.say("Run it")
    assert (await told(talk))[0] == 'start_silently(job="j1") → PENDING: no response yet'


def confirmable() -> Conversation:
    tool = FunctionTool(close_period, require_confirmation=True)
    return Conversation(calls(closes("2026-03")), says("As you wish"), tools=[tool])


async def test_a_confirmation_is_awaited_then_approved_in_one_run() -> None:
    talk = confirmable()
    await talk.say("Close the books")
    assert (await told(talk))[0].endswith("PENDING: awaiting confirmation")
    await talk.answer("adk_request_confirmation", {"confirmed": True})
    assert await told(talk) == [
        'close_period(ledger="US", period="2026-03") → SUCCESS',
        "Result: success. 1 of 1 steps succeeded.",
    ]


async def test_a_rejected_confirmation_is_a_failure_by_the_user() -> None:
    talk = confirmable()
    await talk.say("Close the books")
    await talk.answer("adk_request_confirmation", {"response": '{"confirmed": false}'})
    assert (await told(talk))[0].endswith("FAILURE: rejected by the user")


async def test_a_tool_that_raises_once_it_is_approved_is_a_failure() -> None:
    talk = Conversation(calls(("db_down", {"ledger": "US"})), tools=[FunctionTool(db_down, require_confirmation=True)])
    await talk.say("Close the books")
    await talk.answer("adk_request_confirmation", {"confirmed": True})
    assert (await told(talk))[0] == 'db_down(ledger="US") → FAILURE: ToolDown: db down'


async def test_the_answer_to_a_form_is_the_users_and_the_form_is_no_step() -> None:
    schema = {"type": "object", "properties": {"ledger": {"type": "string", "title": "Ledger"}}}
    asks = calls(("adk_request_input", {"message": "Which ledger?", "response_schema": schema}))
    talk = Conversation(asks, calls(closes("2026-03")), says("Closed"), tools=[request_input, close_period])
    await talk.say("Close the books")
    await talk.answer("adk_request_input", {"ledger": "US Primary"})
    assert await said(talk) == [("user", "Close the books"), ("user", "Ledger: US Primary"), ("agent", "Closed")]
    assert len(await told(talk)) == 2


async def test_what_was_rewound_is_neither_said_nor_done() -> None:
    talk = Conversation(says("Hello"), calls(closes("2026-03")), says("Closed"), says("Fine"), tools=[close_period])
    await talk.say("Hello")
    await talk.say("Close the books")

    def asks_to_close(event: Event) -> bool:
        return bool(event.content and event.content.parts and event.content.parts[0].text == "Close the books")

    await talk.rewind(asks_to_close)
    await talk.say("Never mind")
    assert await told(talk) == []
    assert [text for _, text in await said(talk)] == ["Hello", "Hello", "Never mind", "Fine"]


async def test_a_session_handed_over_while_it_grows_is_the_same_as_handed_over_whole() -> None:
    talk = confirmable()
    await talk.say("Close the books")
    first = transcript_of(await talk.session())
    await talk.answer("adk_request_confirmation", {"confirmed": True})
    whole = transcript_of(await talk.session())
    assert whole.entries[: len(first.entries)] == first.entries

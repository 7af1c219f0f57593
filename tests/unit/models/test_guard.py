"""The guard on its own: what it lets through, and how failures are told."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import httpx
import openai
import pytest
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, LLMResult

from twofold.models.guard import Guard, LLMAbort, model_failed, unusable

RUN = uuid4()


async def test_requests_within_the_budget_pass_and_the_next_one_is_stopped() -> None:
    guard = Guard(budget=2)
    await guard.on_chat_model_start({}, [], run_id=RUN)
    await guard.on_chat_model_start({}, [], run_id=RUN)
    with pytest.raises(LLMAbort):
        await guard.on_chat_model_start({}, [], run_id=RUN)


def test_an_abort_passes_a_handler_of_every_exception() -> None:
    assert not issubclass(LLMAbort, Exception)


async def test_the_raw_replies_are_kept_in_order() -> None:
    guard = Guard(budget=2)
    for text in ("first", "second"):
        generation = ChatGeneration(message=AIMessage(content=text))
        await guard.on_llm_end(LLMResult(generations=[[generation]]), run_id=RUN)
    assert [reply.content for reply in guard.replies] == ["first", "second"]


async def test_the_first_failed_request_stops_the_run_with_its_cause() -> None:
    cause = ValueError("overloaded")
    with pytest.raises(LLMAbort) as abort:
        await Guard(budget=1).on_llm_error(cause, run_id=RUN)
    assert abort.value.__cause__ is cause


async def test_a_cancellation_is_not_turned_into_a_failure() -> None:
    await Guard(budget=1).on_llm_error(asyncio.CancelledError(), run_id=RUN)


def test_a_failure_names_the_model_and_gives_a_short_reason_on_one_line() -> None:
    message = str(model_failed("openai:x", ValueError("a\nb" * 500)))
    assert message.startswith("'openai:x' failed (ValueError): a ba b")
    assert len(message) < 240


def test_an_unusable_reply_names_all_its_problems() -> None:
    assert str(unusable("openai:x", ["one", "two"])) == "The reply of 'openai:x' cannot be used: one; two"


def test_of_many_problems_the_first_eight_are_told() -> None:
    message = str(unusable("m", [f"p{number}" for number in range(99)]))
    assert message.endswith(": p0; p1; p2; p3; p4; p5; p6; p7; and 91 more")


@pytest.mark.parametrize("url", ["http://anna:hunter22@127.0.0.1:8080/v1/hunter22?key=hunter22"])
def test_a_failure_names_the_server_and_no_other_part_of_its_address(url: str) -> None:
    request: Any = httpx.Request("POST", url)
    told = str(model_failed("openai:m", openai.APIConnectionError(request=request)))
    assert told == "'openai:m' failed (APIConnectionError at http://127.0.0.1:8080): Connection error."

"""Outages, and what a model may answer about an episode."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from functools import partial

import openai
import pytest

from tests.contract.samples import FAILURE, known, said
from twofold.memory.errors import ModelFailed
from twofold.memory.words import plain_words
from twofold.models.chat import open_chat
from twofold.models.episodes import LangMemNarrator
from twofold.models.facts import LangMemFactExtractor
from twofold.models.managers import FORCED_TOOL
from twofold.testing import OpenAIDouble, Reply

PDF = known("The user prefers PDF.", "The user works with company 1000.")


@pytest.fixture
async def facts(double: OpenAIDouble) -> AsyncIterator[LangMemFactExtractor]:
    facts = LangMemFactExtractor("openai:double", partial(open_chat, "double", base_url=double.base_url))
    yield facts
    await facts.aclose()


@pytest.fixture
async def narrator(double: OpenAIDouble) -> AsyncIterator[LangMemNarrator]:
    opened = partial(open_chat, "double", base_url=double.base_url, request=FORCED_TOOL)
    narrator = LangMemNarrator("openai:double", opened)
    yield narrator
    await narrator.aclose()


async def test_the_cause_of_a_time_out_is_the_clients_own_error(double: OpenAIDouble) -> None:
    facts = LangMemFactExtractor("openai:double", partial(open_chat, "double", base_url=double.base_url, timeout=0.05))
    double.always("Memory", Reply.hangs(5))
    with pytest.raises(ModelFailed) as failure:
        await facts.extract(said("I prefer Excel"), PDF)
    assert isinstance(failure.value.__cause__, openai.APITimeoutError)
    await facts.aclose()


async def test_a_cancelled_extraction_is_cancelled_and_not_a_failure(
    double: OpenAIDouble, facts: LangMemFactExtractor
) -> None:
    double.always("Memory", Reply.hangs(5))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(facts.extract(said("I prefer Excel"), PDF), 0.2)


async def test_no_server_at_all_is_an_outage() -> None:
    facts = LangMemFactExtractor("openai:double", partial(open_chat, "double", base_url="http://127.0.0.1:9/v1"))
    with pytest.raises(ModelFailed) as failure:
        await facts.extract(said("I prefer Excel"), [])
    assert isinstance(failure.value.__cause__, openai.APIConnectionError)
    await facts.aclose()


async def test_what_trustcall_drops_is_not_logged_with_the_persons_words(
    double: OpenAIDouble, facts: LangMemFactExtractor, caplog: pytest.LogCaptureFixture
) -> None:
    double.always("Memory", Reply.tools(("Memory", {"text": "private words"})))
    with pytest.raises(ModelFailed):
        await facts.extract(said("I prefer Excel"), [])
    assert "private words" not in caplog.text
    logging.getLogger("extraction").error("trustcall used by the host itself")
    assert "used by the host itself" in caplog.text


OUTAGES = {
    "429": (Reply.rate_limited(), openai.RateLimitError),
    "500": (Reply.error(500), openai.InternalServerError),
    "401": (Reply.error(401), openai.AuthenticationError),
    "a gateway's page": (Reply.not_json(), ValueError),
}

WORDS = {"outcome": "failure", "title": "Close March", "overall": "The period could not be closed.", "lesson": ""}

BAD_WORDS = {
    "text": Reply.says("It went well."),
    "cut short": Reply.cut_short(("EpisodeSchema", WORDS)),
    "no JSON": Reply.malformed("EpisodeSchema"),
    "unknown tool": Reply.tools(("Memory", {"content": "x"})),
    "wrong fields": Reply.tools(("EpisodeSchema", {"title": "Close March"})),
    "a scalar": Reply.tools(("EpisodeSchema", "3")),
    "another outcome": Reply.tools(("EpisodeSchema", WORDS | {"outcome": "success"})),
    "told as a success": Reply.tools(("EpisodeSchema", WORDS | {"overall": "The period was closed successfully."})),
    "an unknown number": Reply.tools(("EpisodeSchema", WORDS | {"overall": "Company 1011 could not be closed."})),
    "an unknown tool": Reply.tools(("EpisodeSchema", WORDS | {"lesson": "Run open_period first."})),
    "too long": Reply.tools(("EpisodeSchema", WORDS | {"title": "Close March " * 9})),
    "two lines": Reply.tools(("EpisodeSchema", WORDS | {"lesson": "Close the subledgers.\nThen close."})),
    "refused input": Reply.error(400),
}


@pytest.mark.parametrize("case", BAD_WORDS)
async def test_words_that_cannot_be_kept_are_replaced_by_plain_ones_after_one_request(
    case: str, double: OpenAIDouble, narrator: LangMemNarrator
) -> None:
    double.always("EpisodeSchema", BAD_WORDS[case])
    assert await narrator.tell(FAILURE) == plain_words(FAILURE)
    assert len(double.requests) == 1


@pytest.mark.parametrize("case", OUTAGES)
async def test_an_outage_of_the_narrator_fails_so_that_the_queue_tries_again(
    case: str, double: OpenAIDouble, narrator: LangMemNarrator
) -> None:
    reply, cause = OUTAGES[case]
    double.always("EpisodeSchema", reply)
    with pytest.raises(ModelFailed) as failure:
        await narrator.tell(FAILURE)
    assert isinstance(failure.value.__cause__, cause)


async def test_of_two_episodes_the_first_is_kept(double: OpenAIDouble, narrator: LangMemNarrator) -> None:
    double.script("EpisodeSchema", Reply.tools(("EpisodeSchema", WORDS), ("EpisodeSchema", WORDS | {"title": "Other"})))
    assert (await narrator.tell(FAILURE)).title == "Close March"

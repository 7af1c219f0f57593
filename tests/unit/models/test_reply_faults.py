"""The table of what a model may answer, sent over HTTP: what comes out, and after how many requests."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Any

import openai
import pytest

from tests.contract.samples import FAILURE, known, said
from twofold.memory.errors import ModelFailed
from twofold.memory.memories import Memory
from twofold.memory.words import plain_words
from twofold.models.chat import open_chat
from twofold.models.episodes import LangMemNarrator
from twofold.models.facts import LangMemFactExtractor
from twofold.models.managers import FORCED_TOOL
from twofold.testing import OpenAIDouble, Reply

PDF = known("The user prefers PDF.", "The user works with company 1000.")
GOOD = Reply.tools(("Memory", {"content": "The user prefers Excel.", "event_ids": ["e1"]}))


def patch(target: object, value: object, *, path: str = "/content") -> tuple[str, dict[str, Any]]:
    edits = [{"op": "replace", "path": path, "value": value}]
    return "PatchDoc", {"json_doc_id": target, "planned_edits": "", "patches": edits}


@pytest.fixture
def double() -> Iterator[OpenAIDouble]:
    with OpenAIDouble() as double:
        yield double


@pytest.fixture
async def facts(double: OpenAIDouble) -> AsyncIterator[LangMemFactExtractor]:
    facts = LangMemFactExtractor("openai:double", partial(open_chat, "double", base_url=double.base_url, timeout=0.5))
    yield facts
    await facts.aclose()


@pytest.fixture
async def narrator(double: OpenAIDouble) -> AsyncIterator[LangMemNarrator]:
    opened = partial(open_chat, "double", base_url=double.base_url, timeout=0.5, request=FORCED_TOOL)
    narrator = LangMemNarrator("openai:double", opened)
    yield narrator
    await narrator.aclose()


UNUSABLE = {
    "text": (Reply.says("Nothing to remember."), "it calls no tool"),
    "cut short": (Reply.cut_short(("Memory", {"content": "x"})), "it was cut short"),
    "no JSON": (Reply.malformed("Memory"), "no JSON object"),
    "half of it no JSON": (Reply.tools(("Memory", {"content": "x"}), ("Memory", '{"content')), "no JSON object"),
    "a scalar": (Reply.tools(("Memory", "3")), "valid dictionary"),
    "unknown tool": (Reply.tools(("Note", {"content": "x"})), "there is no tool 'Note'"),
    "wrong fields": (Reply.tools(("Memory", {"text": "x"})), "Field required"),
    "nothing but blanks": (Reply.tools(("Memory", {"content": "\x00 "})), "at least 1 character"),
    "unknown id": (Reply.tools(patch("m9", "x")), "'m9', which does not exist"),
    "number as id": (Reply.tools(patch(1, "x")), "json_doc_id"),
    "two patches of one fact": (Reply.tools(patch("m1", "a"), patch("m1", "b")), "'m1' is changed twice"),
    "patch and removal": (Reply.tools(patch("m1", "a"), ("RemoveDoc", {"json_doc_id": "m1"})), "'m1' is changed twice"),
    "wrong path": (Reply.tools(patch("m1", "x", path="/text")), "changes nothing"),
    "content of a wrong type": (Reply.tools(patch("m1", 5)), "changes nothing"),
    "prose for patches": (
        Reply.tools(("PatchDoc", {"json_doc_id": "m1", "planned_edits": "", "patches": "make it Excel"})),
        "patches",
    ),
    "no id": (Reply.tools(("PatchDoc", {"planned_edits": "", "patches": []})), "json_doc_id"),
    "removal of an unknown id": (Reply.tools(("RemoveDoc", {"json_doc_id": "m9"})), "'m9', which does not exist"),
    "no choice": (Reply.json({"id": "x", "object": "chat.completion", "model": "m", "choices": []}), "cannot be used"),
    "a list": (Reply.json([]), "cannot be used"),
}


@pytest.mark.parametrize("case", UNUSABLE)
async def test_an_unusable_reply_is_asked_for_once_more_and_then_fails_with_its_problems(
    case: str, double: OpenAIDouble, facts: LangMemFactExtractor
) -> None:
    reply, problem = UNUSABLE[case]
    double.always("Memory", reply)
    with pytest.raises(ModelFailed, match="'openai:double' cannot be used") as failure:
        await facts.extract(said("I prefer Excel"), PDF)
    assert problem in str(failure.value)
    assert len(double.requests) == 2


@pytest.mark.parametrize("case", UNUSABLE)
async def test_a_good_second_reply_is_used_whole_and_nothing_of_the_first(
    case: str, double: OpenAIDouble, facts: LangMemFactExtractor
) -> None:
    double.script("Memory", UNUSABLE[case][0], GOOD)
    (change,) = await facts.extract(said("I prefer Excel"), PDF)
    assert (change.action, change.text) == ("ADD", "The user prefers Excel.")
    assert len(double.requests) == 2


async def test_the_second_request_says_what_was_wrong_with_the_first_reply(
    double: OpenAIDouble, facts: LangMemFactExtractor
) -> None:
    double.script("Memory", Reply.tools(patch("m9", "x")), GOOD)
    await facts.extract(said("I prefer Excel"), PDF)
    assert "'m9', which does not exist" not in double.requests[0].text
    assert "'m9', which does not exist" in double.requests[1].text


OUTAGES = {
    "429": (Reply.rate_limited(), openai.RateLimitError, 3),
    "500": (Reply.error(500), openai.InternalServerError, 3),
    "503": (Reply.error(503), openai.InternalServerError, 3),
    "401": (Reply.error(401), openai.AuthenticationError, 1),
    "404": (Reply.error(404), openai.NotFoundError, 1),
    "a gateway's page": (Reply.not_json(), ValueError, 1),
}


@pytest.mark.parametrize("existing", [[], PDF], ids=["nothing known", "facts known"])
@pytest.mark.parametrize("case", OUTAGES)
async def test_an_outage_fails_after_the_clients_own_tries_with_its_cause(
    case: str, existing: list[Memory], double: OpenAIDouble, facts: LangMemFactExtractor
) -> None:
    reply, cause, requests = OUTAGES[case]
    double.always("Memory", reply)
    with pytest.raises(ModelFailed, match="'openai:double' failed") as failure:
        await facts.extract(said("I prefer Excel"), existing)
    assert isinstance(failure.value.__cause__, cause)
    assert len(double.requests) == requests


async def test_a_model_that_hangs_fails_in_time(double: OpenAIDouble) -> None:
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
    reply, cause, _ = OUTAGES[case]
    double.always("EpisodeSchema", reply)
    with pytest.raises(ModelFailed) as failure:
        await narrator.tell(FAILURE)
    assert isinstance(failure.value.__cause__, cause)


async def test_of_two_episodes_the_first_is_kept(double: OpenAIDouble, narrator: LangMemNarrator) -> None:
    double.script("EpisodeSchema", Reply.tools(("EpisodeSchema", WORDS), ("EpisodeSchema", WORDS | {"title": "Other"})))
    assert (await narrator.tell(FAILURE)).title == "Close March"

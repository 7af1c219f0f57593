"""What every narrator promises: LangMem against the double and the offline rules."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial

import pytest

from tests.contract.samples import FAILURE, PARTIAL, PENDING, RECOVERED, SUCCESS, episode, run, step
from twofold.memory.ports import Narrator
from twofold.memory.steps import Episode
from twofold.models.chat import open_chat
from twofold.models.episodes import LangMemNarrator
from twofold.models.managers import FORCED_TOOL
from twofold.models.offline import OfflineNarrator
from twofold.testing import OpenAIDouble

LONG = episode(runs=[run(step("t" * 300, "FAILURE", "because " * 100), request="word " * 400)])


@pytest.fixture(params=["offline rules", "langmem"])
async def narrator(request: pytest.FixtureRequest) -> AsyncIterator[Narrator]:
    with OpenAIDouble() as double:
        opened = partial(open_chat, "double", base_url=double.base_url, request=FORCED_TOOL)
        langmem = LangMemNarrator("openai:double", opened)
        yield OfflineNarrator() if request.param == "offline rules" else langmem
        await langmem.aclose()


@pytest.mark.parametrize(
    ("told", "start"),
    [
        (SUCCESS, "Succeeded: "),
        (RECOVERED, "Succeeded: "),
        (PARTIAL, "Partly succeeded: "),
        (FAILURE, "Failed: "),
        (PENDING, "Waiting: "),
        (LONG, "Failed: "),
    ],
)
async def test_the_words_begin_with_how_it_ended_and_fit_their_lines(
    narrator: Narrator, told: Episode, start: str
) -> None:
    words = await narrator.tell(told)
    assert words.overall.startswith(start)
    for text, longest in ((words.title, 80), (words.overall, 300), (words.lesson, 300)):
        assert len(text) <= longest
        assert len(text.splitlines()) <= 1
    assert words.title


async def test_the_same_episode_gets_the_same_words(narrator: Narrator) -> None:
    assert await narrator.tell(FAILURE) == await narrator.tell(FAILURE)


async def test_it_has_a_name_for_the_audit(narrator: Narrator) -> None:
    assert narrator.name in {"offline rules", "openai:double"}

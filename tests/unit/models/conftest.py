"""A model server for one test, and the fact extractor that asks it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import partial

import pytest

from twofold.models.chat import open_chat
from twofold.models.facts import LangMemFactExtractor
from twofold.models.managers import FORCED_TOOL
from twofold.testing import OpenAIDouble


@pytest.fixture
def double() -> Iterator[OpenAIDouble]:
    with OpenAIDouble() as double:
        yield double


@pytest.fixture
async def facts(double: OpenAIDouble) -> AsyncIterator[LangMemFactExtractor]:
    opened = partial(open_chat, "double", base_url=double.base_url, request=FORCED_TOOL)
    facts = LangMemFactExtractor("openai:double", opened)
    yield facts
    await facts.aclose()

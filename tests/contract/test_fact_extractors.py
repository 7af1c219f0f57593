"""What every fact extractor promises: LangMem against the double, the offline rules and the public fake."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.contract.samples import known, said, turn
from twofold.memory.ports import FactExtractor
from twofold.models.chat import open_chat
from twofold.models.facts import LangMemFactExtractor
from twofold.models.offline import OfflineFactExtractor
from twofold.testing import EchoExtractor, OpenAIDouble


@pytest.fixture(params=["echo", "offline rules", "langmem"])
async def extractor(request: pytest.FixtureRequest) -> AsyncIterator[FactExtractor]:
    with OpenAIDouble() as double:
        langmem = LangMemFactExtractor("openai:double", lambda: open_chat("double", base_url=double.base_url))
        extractors: dict[str, FactExtractor] = {
            "echo": EchoExtractor(),
            "offline rules": OfflineFactExtractor(),
            "langmem": langmem,
        }
        yield extractors[request.param]
        await langmem.aclose()


async def test_an_explicit_statement_becomes_a_fact_that_rests_on_its_event(extractor: FactExtractor) -> None:
    changes = await extractor.extract(said("Hello!", "I prefer reports in PDF."), [])
    assert [change for change in changes if "PDF" in change.text and change.event_ids == ("v2",)]


async def test_identifiers_are_kept_exactly(extractor: FactExtractor) -> None:
    (change,) = await extractor.extract(said("I work with company 1010."), [])
    assert "1010" in change.text


async def test_what_the_agent_says_is_no_fact(extractor: FactExtractor) -> None:
    assert list(await extractor.extract([turn("I prefer reports in PDF.", role="agent")], [])) == []


async def test_what_was_extracted_before_is_no_source(extractor: FactExtractor) -> None:
    turns = [turn("I prefer reports in PDF.", context=True), turn("I work with company 1010.", event_id="v2")]
    changes = await extractor.extract(turns, [])
    assert [change.event_ids for change in changes] == [("v2",)]


async def test_no_turns_change_nothing(extractor: FactExtractor) -> None:
    assert list(await extractor.extract([], known("The user prefers PDF."))) == []


async def test_an_unrelated_known_fact_is_left_alone(extractor: FactExtractor) -> None:
    changes = await extractor.extract(said("I work with company 1010."), known("The user's approver is Anna."))
    assert "k1" not in {change.key for change in changes}


async def test_every_change_is_complete(extractor: FactExtractor) -> None:
    changes = await extractor.extract(
        said("I prefer PDF. My ledger is EU_PRIMARY.", "Please always show amounts in EUR."),
        known("The user prefers PDF."),
    )
    for change in changes:
        assert bool(change.key) == (change.action != "ADD")
        assert bool(change.text.strip()) == (change.action != "DELETE")
        assert set(change.event_ids) <= {"v1", "v2"}
        assert change.event_ids


async def test_the_same_input_gives_the_same_changes(extractor: FactExtractor) -> None:
    turns = said("I prefer PDF.", "My approver is Anna.")
    first = await extractor.extract(turns, known("The user works with company 1010."))
    assert list(first) == list(await extractor.extract(turns, known("The user works with company 1010.")))


async def test_it_has_a_name_for_the_audit(extractor: FactExtractor) -> None:
    assert extractor.name in {"testing:echo", "offline rules", "openai:double"}

"""What people do with their memory by hand: adding, correcting, taking along, hurrying."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from tests.database import tables_with
from twofold.app import MemoryApp
from twofold.memory.errors import InvalidInput, NotFound
from twofold.memory.memories import FactChange, Memory
from twofold.memory.scope import Scope
from twofold.memory.steps import Turn
from twofold.memory.transcript import Entry, Transcript
from twofold.memory.verbatim import VerbatimText
from twofold.models.offline import OfflineNarrator
from twofold.models.open import Models
from twofold.testing import HashEmbedder, memory_app

ANNA = Scope(tenant_id="acme", user_id="anna")
AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


class ChangesItsMind:
    """An extractor that adds what is new, and has each later text replace the first fact it knows."""

    @property
    def name(self) -> str:
        return "testing:changes"

    async def extract(self, turns: list[Turn], known: list[Memory]) -> list[FactChange]:
        said = [turn for turn in turns if turn.role == "user" and not turn.context]
        if known:
            return [
                FactChange(action="UPDATE", key=known[0].key, text=turn.text, event_ids=(turn.event_id,))
                for turn in said
            ]
        return [FactChange(action="ADD", text=turn.text, event_ids=(turn.event_id,)) for turn in said]


@pytest.fixture
async def app(database_url: str) -> AsyncIterator[MemoryApp]:
    models = Models(facts=ChangesItsMind(), narrator=OfflineNarrator(), embedder=HashEmbedder())  # type: ignore[arg-type]
    async with memory_app(database_url, models=models, min_messages=1, settle_seconds=3600) as opened:
        yield opened


def talk(session_id: str, event_id: str, text: str, *, at: datetime = AT) -> Transcript:
    entry = Entry(event_id=event_id, kind="said", author="user", at=at, text=text)
    return Transcript(session_id=session_id, entries=(entry,))


async def save(app: MemoryApp, transcript: Transcript) -> None:
    await app.save_session(ANNA, transcript.session_id, await app.accept(ANNA, transcript))


async def facts(app: MemoryApp) -> list[str]:
    return [memory.text for memory in await app.memories(ANNA, "semantic")]


def asked(app: MemoryApp) -> list[str]:
    embedder = app.models.embedder
    assert isinstance(embedder, HashEmbedder)
    return embedder.asked


async def test_what_was_added_is_told_and_what_was_there_already_too(app: MemoryApp) -> None:
    texts = [VerbatimText(text=text, at=AT) for text in ("one", "ONE ", "two")]
    added = await app.add(ANNA, texts)
    assert [(item.action, item.key) for item in added] == [
        ("ADD", added[0].key),
        ("NOOP", added[0].key),
        ("ADD", added[2].key),
    ]
    assert await app.add(ANNA, []) == ()


async def test_no_secret_of_a_correction_reaches_a_model_or_the_disk(app: MemoryApp) -> None:
    [added] = await app.add(ANNA, [VerbatimText(text="my login", at=AT)])
    corrected = await app.correct(ANNA, added.key, "  my password: hunter22\x00 ")
    assert corrected.text == "my password: [redacted: password]"
    assert not [text for text in asked(app) if "hunter22" in text]
    assert tables_with(app.database.url, "hunter22") == set()


@pytest.mark.parametrize("text", ["", "  ", "\x00\x07"])
async def test_a_blank_correction_is_refused_and_says_how_to_forget(app: MemoryApp, text: str) -> None:
    with pytest.raises(InvalidInput, match="text: is blank; to forget a fact, erase it"):
        await app.correct(ANNA, "any", text)


async def test_no_model_is_asked_for_a_fact_that_is_not_there(app: MemoryApp) -> None:
    with pytest.raises(NotFound):
        await app.correct(ANNA, "unknown", "words")
    assert asked(app) == []


async def test_what_is_said_after_a_correction_changes_the_fact_again(app: MemoryApp) -> None:
    await save(app, talk("s1", "e1", "ledger US"))
    [fact] = await app.memories(ANNA, "semantic")
    await app.correct(ANNA, fact.key, "ledger EU", rev=1)
    await save(app, talk("s1", "e1", "ledger US"))
    assert await facts(app) == ["ledger EU"]
    await save(app, talk("s2", "e2", "ledger ASIA", at=fact.created_at.replace(year=2200)))
    [again] = await app.memories(ANNA, "semantic")
    assert (again.key, again.text, again.rev) == (fact.key, "ledger ASIA", 3)


async def test_everything_is_taken_along_as_plain_lines(app: MemoryApp) -> None:
    await save(app, talk("a/b", "e1", "ledger US"))
    lines = [line async for line in app.export(ANNA)]
    assert [line["type"] for line in lines] == ["memory", "change", "session"]
    memory, change, session = lines
    assert (memory["text"], memory["sources"][0]["session_id"]) == ("ledger US", "a/b")
    assert "score" not in memory
    assert (change["action"], change["key"], change["after"]) == ("ADD", memory["key"], "ledger US")
    assert (session["session_id"], session["entries"][0]["text"]) == ("a/b", "ledger US")
    assert all(next(iter(line)) == "type" for line in lines)


async def test_handing_the_same_over_again_at_once_hurries_what_waits_to_settle(app: MemoryApp) -> None:
    transcript = talk("s1", "e1", "ledger US")
    async with app.working():
        revision = await app.accept(ANNA, transcript)
        assert not await app.stored(ANNA, "s1", revision, 0.5)
        assert await app.accept(ANNA, transcript, at_once=True) == revision
        assert await app.stored(ANNA, "s1", revision, 20)


async def test_a_fact_that_is_nothing_but_a_dropped_secret_is_left_out_and_the_others_are_stored(
    database_url: str,
) -> None:
    texts = [VerbatimText(text=text, at=AT) for text in ("one", "password: hunter2", "two", "- Password: hunter2.")]
    async with memory_app(database_url, redaction={"password": "drop"}) as app:
        applied = await app.add(ANNA, texts)
        assert [each.action for each in applied] == ["ADD", "ADD"]
        assert await app.add(ANNA, texts[1:2]) == ()
        assert sorted(await facts(app)) == ["one", "two"]


@pytest.mark.parametrize("blank", ["", " \n", "\x00"])
async def test_a_blank_fact_is_refused_by_its_number_before_a_model_is_asked(app: MemoryApp, blank: str) -> None:
    with pytest.raises(InvalidInput, match=r"^texts\[1\].text: is blank"):
        await app.add(ANNA, [VerbatimText(text=text, at=AT) for text in ("one", blank)])
    assert (asked(app), await facts(app)) == ([], [])

"""Both LangMem managers on a real database, against a server that speaks OpenAI's wire format."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta

import pytest

from tests.database import tables_with
from twofold.app import MemoryApp
from twofold.memory.errors import EmbedderMismatch, ExtractionFailed
from twofold.memory.jsontypes import Json
from twofold.memory.redaction import redact_entries
from twofold.memory.scope import Scope
from twofold.memory.transcript import Entry, EntryKind, Transcript
from twofold.settings import load_settings
from twofold.testing import OpenAIDouble, Reply

ANNA = Scope(tenant_id="acme", user_id="anna")
AT = datetime(2026, 4, 1, 12, tzinfo=UTC)


@pytest.fixture
def double() -> Iterator[OpenAIDouble]:
    with OpenAIDouble() as running:
        yield running


@pytest.fixture
async def app(database_url: str, double: OpenAIDouble) -> AsyncIterator[MemoryApp]:
    settings = load_settings(database_url=database_url, openai_base_url=double.base_url, openai_api_key="k")
    async with MemoryApp.open(settings) as opened:
        yield opened


def said(event_id: str, text: str, author: str = "user", minute: int = 0) -> Entry:
    return Entry(event_id=event_id, kind="said", author=author, text=text, at=AT + timedelta(minutes=minute))


def tool_entry(event_id: str, kind: EntryKind, payload: Json) -> Entry:
    return Entry(event_id=event_id, kind=kind, author="agent", at=AT, tool="close_period", call_id="1", payload=payload)


CLOSE = (
    said("u1", "Close March for US_PRIMARY."),
    tool_entry("c1", "called", {"period": "2026-03"}),
    tool_entry("r1", "returned", {"error": "open subledgers exist"}),
    said("a1", "It failed.", "agent", 1),
)


async def save(app: MemoryApp, session_id: str, *entries: Entry) -> None:
    revision = await app.accept(ANNA, Transcript(session_id=session_id, entries=entries))
    await app.save_session(ANNA, session_id, revision)


async def facts(app: MemoryApp) -> list[str]:
    return sorted(memory.text for memory in await app.memories(ANNA, "semantic"))


async def test_facts_and_the_words_of_the_episode_come_from_the_model(app: MemoryApp, double: OpenAIDouble) -> None:
    double.script("Memory", Reply.tools(("Memory", {"content": "The user closes US_PRIMARY.", "event_ids": ["e1"]})))
    words = {
        "outcome": "failure",
        "title": "March close of US_PRIMARY",
        "overall": "The close failed.",
        "lesson": "Open subledgers exist.",
    }
    double.script("EpisodeSchema", Reply.tools(("EpisodeSchema", words)))
    await save(app, "s1", *CLOSE)
    assert await facts(app) == ["The user closes US_PRIMARY."]
    (episode,) = await app.memories(ANNA, "episodic")
    assert episode.text.startswith("March close of US_PRIMARY. Failed: The close failed.")
    assert 'close_period(period="2026-03") → FAILURE: open subledgers exist' in episode.text
    assert episode.content["outcome"] == "failure"
    assert (len(double.asked("Memory")), len(double.asked("EpisodeSchema"))) == (1, 1)


async def test_a_correction_updates_the_fact_and_a_withdrawal_deletes_it(app: MemoryApp, double: OpenAIDouble) -> None:
    double.script("Memory", Reply.tools(("Memory", {"content": "The ledger is US_PRIMARY.", "event_ids": ["e1"]})))
    await save(app, "s1", said("u1", "My ledger is US_PRIMARY."), said("a1", "Noted.", "agent"))
    (before,) = await app.memories(ANNA, "semantic")

    patch = {"op": "replace", "path": "/content", "value": "The ledger is EU_PRIMARY."}
    update = {"json_doc_id": "m1", "planned_edits": "new ledger", "patches": [patch]}
    double.script("Memory", Reply.tools(("PatchDoc", update)))
    await save(app, "s2", said("u2", "My ledger is EU_PRIMARY now."), said("a2", "Noted.", "agent"))
    (after,) = await app.memories(ANNA, "semantic")
    assert (after.key, after.text, after.rev) == (before.key, "The ledger is EU_PRIMARY.", before.rev + 1)
    assert {source.session_id for source in after.sources} == {"s1", "s2"}

    double.script("Memory", Reply.tools(("RemoveDoc", {"json_doc_id": "m1"})))
    await save(app, "s3", said("u3", "Forget my ledger."), said("a3", "Done.", "agent"))
    assert await facts(app) == []
    history = await app.database.memories.history(ANNA, before.key)
    assert [(line.action, line.before, line.after) for line in reversed(history)] == [
        ("ADD", "", "The ledger is US_PRIMARY."),
        ("UPDATE", "The ledger is US_PRIMARY.", "The ledger is EU_PRIMARY."),
        ("DELETE", "The ledger is EU_PRIMARY.", ""),
    ]
    assert {line.model for line in history} == {"openai:gpt-5-mini"}


async def test_a_branch_that_fails_stores_nothing_and_the_retry_pays_only_for_it(
    app: MemoryApp, double: OpenAIDouble
) -> None:
    double.always("Memory", Reply.error(500))
    with pytest.raises(ExtractionFailed, match="semantic"):
        await save(app, "s1", *CLOSE)
    assert await app.memories(ANNA, "episodic") == ()
    double.always("Memory", Reply.tools(("NothingToRemember", {})))
    revision = await app.accept(ANNA, Transcript(session_id="s1", entries=CLOSE))
    await app.save_session(ANNA, "s1", revision)
    assert len(await app.memories(ANNA, "episodic")) == 1
    assert len(double.asked("EpisodeSchema")) == 1


async def test_a_session_handed_over_again_costs_no_model_call(app: MemoryApp, double: OpenAIDouble) -> None:
    await save(app, "s1", *CLOSE)
    asked = len(double.requests)
    await save(app, "s1", *CLOSE)
    assert len(double.requests) == asked


async def test_of_a_grown_session_only_the_new_turns_are_extracted(app: MemoryApp, double: OpenAIDouble) -> None:
    await save(app, "s1", *CLOSE)
    double.requests.clear()
    await save(app, "s1", *CLOSE, said("u2", "I prefer tables.", minute=2), said("a2", "Noted.", "agent", 3))
    (request,) = double.asked("Memory")
    assert "e1 2026-04-01 12:02] user: I prefer tables." in request.text
    assert "[earlier 2026-04-01 12:00] user: Close March for US_PRIMARY." in request.text


async def test_no_secret_reaches_the_model_or_the_database(app: MemoryApp, double: OpenAIDouble) -> None:
    secret = "hunter2-hunter2"
    entries = (said("u1", f"My password is {secret}. Close March for US_PRIMARY."), *CLOSE[1:])
    await save(app, "s1", *redact_entries(entries))
    await app.recall(ANNA, f"my password is {secret}, which ledger?")
    assert all(secret not in str(request.body) for request in double.requests)
    assert tables_with(app.database.url, "US_PRIMARY") >= {"public.store", "twofold.entry"}
    assert tables_with(app.database.url, secret) == set()


async def test_a_key_set_after_a_keyless_start_changes_the_extractor_only(
    database_url: str, double: OpenAIDouble
) -> None:
    async with MemoryApp.open(load_settings(database_url=database_url)) as keyless:
        await save(keyless, "s1", said("u1", "I prefer reports as a table."), said("a1", "Noted.", "agent"))
        assert keyless.models.facts.name == "offline rules"
    key = {"openai_base_url": double.base_url, "openai_api_key": "k"}
    async with MemoryApp.open(load_settings(database_url=database_url, **key)) as keyed:
        assert keyed.models.facts.name == "openai:gpt-5-mini"
        assert keyed.models.embedder.name.startswith("minilm:")
        recall = await keyed.recall(ANNA, "How do I like my reports?")
        assert [fact.text for fact in recall.facts] == ["The user prefers reports as a table."]
    explicit = load_settings(database_url=database_url, embedding_model="openai:text-embedding-3-small", **key)
    with pytest.raises(EmbedderMismatch, match=r"minilm.*text-embedding-3-small"):
        async with MemoryApp.open(explicit):
            raise AssertionError("opened")


async def test_vectors_of_the_openai_model_are_stored_and_found(app: MemoryApp) -> None:
    await save(app, "s1", *CLOSE)
    assert app.models.embedder.name == "openai:text-embedding-3-small"
    assert app.models.embedder.dims == 1536
    recall = await app.recall(ANNA, "Why did the close fail?")
    assert len(recall.episodes) == 1

"""Each step of `memory_write` alone: state in, partial state out."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.nodes.ports import (
    AT,
    SCOPE,
    DictKept,
    DictMemories,
    ScriptedExtractor,
    ScriptedNarrator,
    called,
    said,
    write_ports,
)
from twofold.memory.errors import ExtractionFailed
from twofold.memory.memories import FactChange, Save
from twofold.memory.redaction import Redactor
from twofold.memory.steps import EpisodeWords
from twofold.memory.tombstones import Tombstone
from twofold.nodes.write import extract_episodic, extract_semantic, persist, redact, split, validate
from twofold.nodes.write.persist import told
from twofold.nodes.write.split import ERASED

CLOSE = [said("u1", "Close March"), *called("c1", "close_period", {"error": "open subledgers exist"})]
TO_NOW = Tombstone(kind=None, before=AT.replace(minute=30), event_ids=frozenset())
BY_NAME = Tombstone(kind=None, before=None, event_ids=frozenset({"u1", "c1", "c1r"}))


async def state_of(entries: list[dict[str, object]], **more: Any) -> Any:
    """Return the state as the steps before would have left it."""
    valid = await validate({"scope": SCOPE, "session_id": "s1", "entries": entries})  # type: ignore[typeddict-item]
    state: Any = {**valid, **more}
    return {**state, **await split(state, ports=write_ports())}


async def test_validate_orders_by_time_keeps_each_part_once_and_strips_what_no_database_takes() -> None:
    late, early = said("u2", "b\x00\ud800c", minute=2), said("u1", "a", minute=1)
    valid = await validate({"scope": SCOPE, "session_id": "s1", "entries": [late, early, early]})  # type: ignore[list-item, typeddict-item]
    assert [(entry["event_id"], entry["text"]) for entry in valid["entries"]] == [("u1", "a"), ("u2", "bc")]


async def test_redact_names_the_kind_of_secret_and_keeps_the_rest() -> None:
    valid: Any = await validate(
        {"scope": SCOPE, "session_id": "s1", "entries": [said("u1", "My password is hunter2hunter2, close March")]}  # type: ignore[list-item, typeddict-item]
    )
    (entry,) = (await redact(valid, ports=write_ports()))["entries"]
    assert entry["text"] == "My password is [redacted: password], close March"
    (entry,) = (await redact(valid, ports=write_ports(redactor=Redactor.of({"password": "drop"}))))["entries"]
    assert entry["text"] == "My , close March"


async def test_split_sends_text_turns_one_way_and_tool_calls_the_other() -> None:
    state = await state_of(CLOSE)
    assert [turn["text"] for turn in state["turns"]] == ["Close March"]
    assert [step["tool"] for run in state["episode"]["runs"] for step in run["steps"]] == ["close_period"]
    assert (state["generation"], state["skipped"]) == (3, "")


@pytest.mark.parametrize("erased", [TO_NOW, BY_NAME], ids=["session", "events"])
async def test_split_says_that_all_of_a_session_was_erased_before(erased: Tombstone) -> None:
    memories = DictMemories(tombstones=(erased,))
    state = await state_of(CLOSE)
    assert (await split(state, ports=write_ports(memories=memories)))["skipped"] == ERASED
    more: Any = {**state, "entries": [*state["entries"], said("u9", "Anew", minute=59)]}
    assert "at least" in (await split(more, ports=write_ports(memories=memories, min_messages=2)))["skipped"]
    none: Any = {**state, "entries": []}
    assert (await split(none, ports=write_ports(memories=memories)))["skipped"] != ERASED


async def test_extract_semantic_returns_what_the_extractor_decided_and_keeps_it_until_persisted() -> None:
    facts, kept = ScriptedExtractor([FactChange(action="ADD", text="t", event_ids=("u1",))]), DictKept()
    state = await state_of(CLOSE)
    for _ in range(2):
        result = (await extract_semantic(state, ports=write_ports(facts=facts, kept=kept)))["semantic"]
    assert [(change["action"], change["text"]) for change in result["changes"]] == [("ADD", "t")]
    assert len(facts.asked) == len(kept.kept) == 1


async def test_extract_semantic_returns_a_failure_as_data() -> None:
    ports = write_ports(facts=ScriptedExtractor(failure="HTTP 429"))
    assert (await extract_semantic(await state_of(CLOSE), ports=ports))["semantic"]["failure"] == "HTTP 429"


async def test_extract_episodic_returns_the_words_or_the_failure_and_nothing_without_tool_calls() -> None:
    state = await state_of(CLOSE)
    assert (await extract_episodic(state, ports=write_ports()))["episodic"]["words"]["title"] == "Close March"
    broken = write_ports(narrator=ScriptedNarrator(failure="HTTP 500"))
    assert (await extract_episodic(state, ports=broken))["episodic"]["failure"] == "HTTP 500"
    talk = await state_of([said("u1", "Hi"), said("a1", "Hello", "agent")])
    assert (await extract_episodic(talk, ports=broken)) == {"episodic": {}}


async def test_persist_hands_over_one_save_with_sources_times_and_models() -> None:
    memories = DictMemories()
    state = await state_of(CLOSE)
    ports = write_ports(memories=memories)
    change = {"action": "ADD", "text": "t", "key": None, "event_ids": ["u1"]}
    state["semantic"] = {"changes": [change], "model": "m1"}
    state |= await extract_episodic(state, ports=ports)
    output = await persist(state, ports=ports)
    (save,) = memories.saves
    assert isinstance(save, Save)
    assert [(c.source.origin, c.source.session_id) for c in save.changes] == [
        ("user said", "s1"),
        ("tool returned", "s1"),
    ]
    assert save.models == {"semantic": "m1", "episodic": "scripted"}
    assert save.seen_event_ids == ("u1",)
    assert [item["action"] for item in output["saved"]] == ["ADD", "ADD"]


@pytest.mark.parametrize("branch", ["semantic", "episodic"])
async def test_persist_writes_nothing_when_a_branch_failed(branch: str) -> None:
    memories = DictMemories()
    state = await state_of(CLOSE)
    state |= {"semantic": {"changes": []}, "episodic": {}, branch: {"failure": "HTTP 429"}}
    with pytest.raises(ExtractionFailed, match=f"{branch}: HTTP 429"):
        await persist(state, ports=write_ports(memories=memories))
    assert memories.saves == []


def test_an_episode_is_told_title_and_outcome_first_and_the_lesson_last() -> None:
    text = told(EpisodeWords(title="Close March.", overall="It failed.", lesson="Post first."), "Request: x\nResult: y")
    assert text == "Close March. It failed.\nRequest: x\nResult: y\nLesson: Post first."
    assert "Lesson" not in told(EpisodeWords(title="t", overall="o"), "n")

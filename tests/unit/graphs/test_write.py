"""The write graph as a whole, on ports in memory."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.nodes.ports import (
    SCOPE,
    DictKept,
    DictMemories,
    ScriptedExtractor,
    ScriptedNarrator,
    called,
    memory,
    said,
    write_ports,
)
from twofold.graphs.write import build_write
from twofold.memory.chunks import CHUNK_BYTES, MOST_CHUNKS
from twofold.memory.errors import ExtractionFailed, InvalidInput
from twofold.memory.keys import episode_key
from twofold.memory.memories import FactChange
from twofold.memory.ports import WritePorts
from twofold.memory.scope import Scope
from twofold.memory.tombstones import Tombstone
from twofold.models.offline import OfflineFactExtractor

TALK = [said("u1", "I work with the US Primary Ledger."), said("a1", "Noted.", "agent", 1)]
CLOSE = [
    said("u1", "Close March for US_PRIMARY"),
    *called("c1", "close_period", {"error": "open subledgers exist"}, period="2026-03"),
]


async def run(ports: WritePorts, entries: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    graph: Any = build_write(ports).compile()
    return dict(await graph.ainvoke({"scope": SCOPE, "session_id": "s1", "entries": entries, **more}))


async def test_a_fact_and_an_episode_are_persisted_in_one_save() -> None:
    memories = DictMemories()
    facts = ScriptedExtractor([FactChange(action="ADD", text="The user closes US_PRIMARY.", event_ids=("u1",))])
    output = await run(write_ports(memories=memories, facts=facts), CLOSE)
    (save,) = memories.saves
    assert [(change.action, change.kind) for change in save.changes] == [("ADD", "semantic"), ("ADD", "episodic")]
    assert save.generation == 3
    assert [item["kind"] for item in output["saved"]] == ["semantic", "episodic"]


async def test_the_episode_text_tells_request_step_and_result() -> None:
    memories = DictMemories()
    await run(write_ports(memories=memories), CLOSE)
    text = memories.saves[0].changes[0].text
    assert text.startswith("Close March. The close failed.")
    assert "Close March for US_PRIMARY" in text
    assert 'close_period(period="2026-03") → FAILURE: open subledgers exist' in text


@pytest.mark.parametrize("entries", [[], [said("u1", "Hello")], [said("u1", "Hello") | {"thought": True}, *TALK[:1]]])
async def test_fewer_than_two_messages_and_no_tool_call_end_without_a_model_call(entries: list[dict[str, Any]]) -> None:
    facts, narrator, memories = ScriptedExtractor(), ScriptedNarrator(), DictMemories()
    output = await run(write_ports(facts=facts, narrator=narrator, memories=memories), entries)
    assert "at least 2 messages or one tool call" in output["skipped"]
    assert (facts.asked, narrator.asked, memories.saves) == ([], [], [])


async def test_a_single_tool_call_is_enough() -> None:
    memories = DictMemories()
    output = await run(write_ports(memories=memories), called("c1", "lookup", {"ok": True}))
    assert not output["skipped"]
    assert len(memories.saves) == 1


async def test_turns_that_were_seen_are_not_sent_again() -> None:
    facts = ScriptedExtractor()
    ports = write_ports(facts=facts, memories=DictMemories(seen=frozenset({"u1", "a1"})))
    await run(ports, TALK)
    assert facts.asked == []
    await run(ports, [*TALK, said("u2", "Company 1000", minute=2)])
    assert [turn.event_id for turn in facts.asked[0]] == ["u2"]


async def test_what_the_agent_said_last_waits_for_the_users_answer() -> None:
    facts, memories = ScriptedExtractor(), DictMemories()
    await run(write_ports(facts=facts, memories=memories), TALK)
    assert [turn.event_id for turn in facts.asked[0]] == ["u1"]
    assert memories.saves[0].seen_event_ids == ("u1",)
    memories.seen = frozenset({"u1"})
    await run(write_ports(facts=facts, memories=memories), [*TALK, said("u2", "Yes.", minute=2)])
    assert [turn.event_id for turn in facts.asked[1]] == ["a1", "u2"]
    assert memories.saves[1].seen_event_ids == ("a1", "u2")


async def test_a_failing_branch_writes_nothing_and_the_retry_pays_only_for_it() -> None:
    memories, kept, narrator = DictMemories(), DictKept(), ScriptedNarrator()
    broken = write_ports(memories=memories, kept=kept, narrator=narrator, facts=ScriptedExtractor(failure="HTTP 429"))
    with pytest.raises(ExtractionFailed, match="semantic: HTTP 429"):
        await run(broken, CLOSE)
    assert memories.saves == []
    await run(write_ports(memories=memories, kept=kept, narrator=narrator), CLOSE)
    assert len(narrator.asked) == 1
    assert len(memories.saves) == 1


async def test_an_episode_that_is_stored_as_it_is_is_not_worded_again() -> None:
    memories, narrator = DictMemories(), ScriptedNarrator()
    ports = write_ports(memories=memories, narrator=narrator)
    await run(ports, CLOSE)
    content = memories.saves[0].changes[0].content
    key = episode_key(Scope(tenant_id="acme", user_id="anna"), "s1")
    memories.stored.append(memory(key, "episodic", content=content))
    await run(ports, CLOSE)
    assert len(narrator.asked) == 1
    assert memories.saves[1].changes == ()


async def test_a_fact_rests_on_user_events_only_whatever_the_extractor_names() -> None:
    memories = DictMemories()
    facts = ScriptedExtractor(
        [
            FactChange(action="ADD", text="one", event_ids=("a1", "u1", "invented")),
            FactChange(action="ADD", text="of nobody"),
            FactChange(action="ADD", text="of the agent", event_ids=("a1",)),
        ]
    )
    entries = [*TALK, said("u2", "And company 1000.", minute=2)]
    await run(write_ports(memories=memories, facts=facts), entries)
    assert [(change.text, change.source.event_ids) for change in memories.saves[0].changes] == [("one", ("u1",))]


async def test_agent_text_alone_is_never_extracted() -> None:
    facts = ScriptedExtractor([FactChange(action="ADD", text="made up", event_ids=("a1",))])
    memories = DictMemories()
    await run(
        write_ports(facts=facts, memories=memories),
        [said("a1", "You prefer tables.", "agent"), said("a2", "Yes.", "agent")],
    )
    assert facts.asked == []
    assert memories.saves[0].changes == ()


async def test_secrets_reach_neither_extractor_nor_narrator_nor_store() -> None:
    memories, facts, narrator = DictMemories(), ScriptedExtractor(), ScriptedNarrator()
    entries = [
        said("u1", "My password is hunter2hunter2, close March"),
        *called("c1", "login", {"token": "t0ps3cr3t-value"}, password="hunter2hunter2"),
    ]
    await run(write_ports(memories=memories, facts=facts, narrator=narrator), entries)
    told = repr((facts.asked, narrator.asked, memories.saves))
    assert "hunter2" not in told
    assert "t0ps3cr3t" not in told


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("session_id", "", "session_id: expected a text that is not empty"),
        ("session_id", 7, "session_id: expected a text that is not empty, not 7"),
        ("scope", None, "scope: expected an object with tenant_id and user_id, not NoneType"),
        ("scope", {"tenant_id": "acme"}, "scope.user_id: expected a text, not NoneType"),
        ("entries", "no list", "entries: expected a list, not str"),
        ("entries", [said("u1", "x") | {"kind": "shouted"}], r"entries\[0\].kind"),
        ("entries", [said("u1", "x"), {"event_id": "u2"}], r"entries\[1\]"),
        ("entries", [said("u1", "x") | {"at": "2026-04-01T12:00:00"}], "'u1' has no zone"),
        ("entries", [said("u1", "x") | {"at": "9999-12-31T00:00:00Z"}], "'u1' is not of 2 to 9998"),
        ("entries", [said("u1", "x") | {"part": 2**31}], "'u1' is not of 0 to 2147483647"),
    ],
)
async def test_bad_input_is_refused_naming_the_field(field: str, value: object, message: str) -> None:
    given = {"scope": SCOPE, "session_id": "s1", "entries": TALK, field: value}
    graph: Any = build_write(write_ports()).compile()
    with pytest.raises(InvalidInput, match=message):
        await graph.ainvoke(given)


async def test_a_bound_graph_fills_in_its_scope_and_refuses_another() -> None:
    memories = DictMemories()
    bound: Any = build_write(write_ports(memories=memories), bound=Scope(tenant_id="local", user_id="local")).compile()
    await bound.ainvoke({"session_id": "s1", "entries": TALK})
    assert memories.saves[0].scope == Scope(tenant_id="local", user_id="local")
    with pytest.raises(InvalidInput, match="bound to another scope"):
        await bound.ainvoke({"scope": SCOPE, "session_id": "s1", "entries": TALK})


def test_the_graph_has_the_steps_of_the_design_in_their_order() -> None:
    edges = {(edge.source, edge.target) for edge in build_write(write_ports()).compile().get_graph().edges}
    assert edges == {
        ("__start__", "validate"),
        ("validate", "redact"),
        ("redact", "split"),
        ("split", "extract_semantic"),
        ("split", "extract_episodic"),
        ("split", "__end__"),
        ("extract_semantic", "persist"),
        ("extract_episodic", "persist"),
        ("persist", "__end__"),
    }


def test_every_input_field_is_described_in_the_schema() -> None:
    properties = build_write(write_ports()).compile().get_input_jsonschema()["properties"]
    assert set(properties) == {"scope", "session_id", "entries"}
    assert all("description" in field or "allOf" in field or "$ref" in field for field in properties.values())


async def test_what_was_erased_as_a_fact_is_not_read_again() -> None:
    facts = ScriptedExtractor()
    stone = Tombstone(kind="semantic", before=None, event_ids=frozenset({"u1"}))
    memories = DictMemories(seen=frozenset({"u1", "a1"}), tombstones=(stone,))
    await run(write_ports(facts=facts, memories=memories), [*TALK, said("u2", "Thanks.", minute=2)])
    assert [turn.event_id for turn in facts.asked[0]] == ["u2"]


async def test_exact_durations_that_arrive_later_reach_the_episode_without_a_model_call() -> None:
    memories, narrator = DictMemories(), ScriptedNarrator()
    ports = write_ports(memories=memories, narrator=narrator)
    await run(ports, CLOSE)
    key = episode_key(Scope(tenant_id="acme", user_id="anna"), "s1")
    memories.stored.append(memory(key, "episodic", content=memories.saves[0].changes[0].content))
    timed = [entry | {"seconds": 1.5} if entry["kind"] == "returned" else entry for entry in CLOSE]
    await run(ports, timed)
    content: Any = memories.saves[1].changes[0].content
    assert content["runs"][0]["steps"][0]["seconds"] == 1.5
    assert content["title"] == "Close March"
    assert len(narrator.asked) == 1


async def test_a_correction_late_in_a_very_long_session_replaces_what_was_said_early() -> None:
    memories = DictMemories()
    filler = "The weather was discussed at length. " * 800
    entries = [
        said("u1", "My currency is USD."),
        said("u2", filler, minute=1),
        said("u3", "My currency is EUR.", minute=2),
        said("a1", "Noted.", "agent", 3),
    ]
    await run(write_ports(memories=memories, facts=OfflineFactExtractor()), entries)
    (save,) = memories.saves
    assert [(change.action, change.text) for change in save.changes] == [("ADD", "The user's currency is EUR.")]


async def test_a_session_beyond_the_limit_is_refused_before_either_model_is_asked() -> None:
    facts, narrator, memories = ScriptedExtractor(), ScriptedNarrator(), DictMemories()
    ports = write_ports(facts=facts, narrator=narrator, memories=memories)
    most = [said(f"u{number:03}", "x" * (CHUNK_BYTES // 2 + 1_000)) for number in range(MOST_CHUNKS)]
    with pytest.raises(InvalidInput, match=r"'s1' has 1,111,\d\d\d bytes .* 101 requests; the limit is 100 of 20,000"):
        await run(ports, [*most, said("last", "x" * (CHUNK_BYTES // 2 + 1_000)), *CLOSE[1:]])
    assert (facts.asked, narrator.asked, memories.saves) == ([], [], [])
    await run(ports, most)
    assert len(facts.asked) == MOST_CHUNKS

"""The read graph as a whole, on ports in memory."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.nodes.ports import SCOPE, DictMemories, memory, read_ports
from twofold.graphs.read import build_read
from twofold.memory.errors import InvalidInput
from twofold.memory.scope import Scope

ANNA = Scope(tenant_id="acme", user_id="anna")


async def recall(
    memories: DictMemories, query: object, recalled: list[Scope] | None = None, **more: Any
) -> dict[str, Any]:
    graph: Any = build_read(read_ports(memories, [] if recalled is None else recalled)).compile()
    output = await graph.ainvoke({"scope": SCOPE, "query": query, **more})
    return dict(output["recall"])


async def test_the_newest_six_facts_and_four_episodes_of_what_was_found_come_back() -> None:
    stored = [memory(f"f{n}", "semantic", n) for n in range(10)] + [memory(f"e{n}", "episodic", n) for n in range(7)]
    recalled = await recall(DictMemories(stored=stored), "ledger")
    assert [fact["key"] for fact in recalled["facts"]] == ["f9", "f8", "f7", "f6", "f5", "f4"]
    assert [episode["key"] for episode in recalled["episodes"]] == ["e6", "e5", "e4", "e3"]


async def test_twelve_facts_and_eight_episodes_are_looked_at() -> None:
    stored = [memory(f"f{n:02}", "semantic", n) for n in range(20)] + [
        memory(f"e{n}", "episodic", n) for n in range(10)
    ]
    recalled = await recall(DictMemories(stored=stored), "ledger")
    assert recalled["facts"][0]["key"] == "f11"
    assert recalled["episodes"][0]["key"] == "e7"


@pytest.mark.parametrize("query", ["", "  \n ", "\x00"])
async def test_a_blank_query_finds_nothing_and_searches_nothing(query: str) -> None:
    memories, recalled = DictMemories(stored=[memory("f1")]), []  # type: ignore[var-annotated]
    assert await recall(memories, query, recalled) == {"facts": [], "episodes": []}
    assert (memories.searched, recalled) == ([], [])


async def test_a_secret_in_the_query_is_not_searched_with() -> None:
    memories = DictMemories()
    await recall(memories, "my password is hunter2hunter2, which ledger?")
    assert all("hunter2" not in query for _, _, query, _ in memories.searched)


async def test_both_searches_are_in_the_scope_and_leave_out_the_session_in_progress() -> None:
    memories = DictMemories()
    await recall(memories, "ledger", except_session="s9")
    assert sorted(memories.searched, key=lambda asked: asked[1]) == [
        (ANNA, "episodic", "ledger", "s9"),
        (ANNA, "semantic", "ledger", "s9"),
    ]


async def test_whoever_was_recalled_is_told_so_that_the_memory_lives_on() -> None:
    recalled: list[Scope] = []
    await recall(DictMemories(), "ledger", recalled)
    assert recalled == [ANNA]


async def test_what_is_less_similar_than_the_floor_is_left_out() -> None:
    stored = [memory("near", score=0.5), memory("far", score=0.1), memory("exact", score=0.1, exact=True)]
    graph: Any = build_read(read_ports(DictMemories(stored=stored), [], floor=0.3)).compile()
    output = await graph.ainvoke({"scope": SCOPE, "query": "ledger"})
    assert {fact["key"] for fact in output["recall"]["facts"]} == {"near", "exact"}


async def test_of_a_very_long_query_the_end_is_searched() -> None:
    memories = DictMemories()
    await recall(memories, "x" * 100_000 + " which ledger?")
    assert all(query.endswith("which ledger?") and len(query) <= 4_000 for _, _, query, _ in memories.searched)


async def test_no_step_data_and_no_vector_is_kept_in_the_state() -> None:
    stored = [memory("e1", "episodic", content={"title": "Close", "runs": [{"steps": []}], "narrative": "long"})]
    recalled = await recall(DictMemories(stored=stored), "close")
    assert recalled["episodes"][0]["content"] == {"title": "Close"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"query": 7}, "query: expected a text, not int"),
        ({"query": "x", "except_session": 7}, "except_session: expected a text, not int"),
        ({"query": "x", "scope": {"tenant_id": 1, "user_id": "u"}}, "scope.tenant_id: expected a text, not int"),
    ],
)
async def test_bad_input_is_refused_naming_the_field(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        await recall(DictMemories(), **({"query": "x"} | given))


def test_the_graph_has_the_steps_of_the_design_in_their_order() -> None:
    edges = {
        (edge.source, edge.target) for edge in build_read(read_ports(DictMemories(), [])).compile().get_graph().edges
    }
    assert edges == {
        ("__start__", "validate"),
        ("validate", "redact"),
        ("validate", "__end__"),
        ("redact", "embed"),
        ("embed", "search_semantic"),
        ("embed", "search_episodic"),
        ("search_semantic", "rank"),
        ("search_episodic", "rank"),
        ("rank", "__end__"),
    }

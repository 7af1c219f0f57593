"""A graph bound to one person serves that person at every step, whatever its state is made to say."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from twofold.app import MemoryApp
from twofold.graphs.read import build_read
from twofold.graphs.write import build_write
from twofold.memory.memories import Memory
from twofold.memory.scope import Scope
from twofold.memory.verbatim import VerbatimText
from twofold.nodes import read, write
from twofold.testing import memory_app

ANNA = Scope(tenant_id="acme", user_id="anna")
BEN = Scope(tenant_id="acme", user_id="ben")
HERS = "Anna works with the Malta Ledger."
SCOPE = {"tenant_id": "acme", "user_id": "anna"}
RUN: RunnableConfig = {"configurable": {"thread_id": "1"}}
STEPS = {
    "memory_write": [name for name in write.__all__ if name.islower()],
    "memory_read": [name for name in read.__all__ if name.islower()],
}
CASES = [(graph, step, way) for graph, steps in STEPS.items() for step in steps for way in ("update", "command")]


def test_every_step_is_a_case() -> None:
    no_ports: Any = None  # wiring only: no node runs
    assert set(STEPS["memory_write"]) == set(build_write(no_ports).nodes)
    assert set(STEPS["memory_read"]) == set(build_read(no_ports).nodes)


@pytest.mark.parametrize(("graph", "step", "way"), CASES)
async def test_no_step_serves_another_person(graph: str, step: str, way: str, database_url: str) -> None:
    async with memory_app(database_url) as app:
        await app.add(ANNA, [VerbatimText(text=HERS, at=None)])
        (fact,) = await app.memories(ANNA, "semantic")
        compiled = _bound(app, graph)
        shown = await _started_at(compiled, step, way, _hostile(graph, fact))
        assert HERS not in shown
        assert [(memory.key, memory.text) for memory in await app.memories(ANNA, "semantic")] == [(fact.key, HERS)]
        assert await app.memories(ANNA, "episodic") == ()


def _bound(app: MemoryApp, graph: str) -> Any:
    if graph == "memory_write":
        return build_write(app.write_ports, bound=BEN).compile(checkpointer=InMemorySaver())
    return build_read(app.read_ports, bound=BEN).compile(checkpointer=InMemorySaver())


async def _started_at(graph: Any, step: str, way: str, state: dict[str, Any]) -> str:
    """Start a graph behind, or at, a step with a state of the caller's making; return all that it shows."""
    shown: list[Any] = []
    try:
        if way == "update":
            await graph.aupdate_state(RUN, state, as_node=step)
            shown.append(await graph.ainvoke(None, RUN))
        else:
            await graph.aupdate_state(RUN, {"query": ""} if "query" in state else {"skipped": "x"}, as_node="validate")
            shown.append(await graph.ainvoke(Command(update=state, goto=step), RUN))
    except Exception as refusal:  # noqa: BLE001 - any refusal will do; what counts is what it shows
        shown.append(str(refusal))
    shown.extend([snapshot.values async for snapshot in graph.aget_state_history(RUN)])
    return json.dumps(shown, default=str)


def _hostile(graph: str, fact: Memory) -> dict[str, Any]:
    if graph == "memory_read":
        return {"scope": SCOPE, "query": "Which ledger?", "except_session": None}
    said = {
        "event_id": "e1",
        "kind": "said",
        "author": "user",
        "at": "2026-04-01T09:00:00Z",
        "text": "The Evil Ledger.",
    }
    turn = {"event_id": "e1", "role": "user", "text": "The Evil Ledger.", "at": "2026-04-01T09:00:00Z"}
    return {
        "scope": SCOPE,
        "session_id": "s",
        "entries": [said, said | {"event_id": "e2", "author": "agent"}],
        "generation": 1,
        "turns": [turn | {"role": "user"}],
        "episode": None,
        "semantic": {"changes": [{"action": "DELETE", "key": fact.key, "event_ids": ["e1"]}], "model": "x"},
        "episodic": {},
    }

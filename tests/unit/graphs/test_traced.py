"""A span a run of a graph, and under it a span a node, with counts and never a word."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Never

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import StatusCode

from tests.recorded_telemetry import Telemetry, telemetry
from tests.unit.nodes.ports import (
    SCOPE,
    DictMemories,
    ScriptedExtractor,
    called,
    memory,
    read_ports,
    said,
    write_ports,
)
from twofold.graphs.read import build_read
from twofold.graphs.write import build_write
from twofold.memory.errors import ExtractionFailed
from twofold.memory.memories import FactChange
from twofold.memory.ports import ReadPorts
from twofold.nodes.write import WriteState
from twofold.telemetry import ATTRIBUTES, spans
from twofold.testing import HashEmbedder

__all__ = ["telemetry"]

CLOSE = [said("u1", "Close March for US_PRIMARY"), *called("c1", "close_period", {"error": "open"}, period="2026-03")]
WRITE_NODES = ("validate", "redact", "split", "extract_semantic", "extract_episodic", "persist")
READ_NODES = ("validate", "redact", "embed", "search_semantic", "search_episodic", "rank")


def written(entries: list[dict[str, Any]]) -> dict[str, Any]:
    return {"scope": SCOPE, "session_id": "s1", "entries": entries}


def nodes_of(graph: str, *nodes: str) -> list[tuple[str, str]]:
    return sorted([(graph, ""), *((f"{graph}.{node}", graph) for node in nodes)])


def write(checkpointer: Any = None, **ports: object) -> Any:
    return build_write(write_ports(**ports)).compile(checkpointer=checkpointer)


def read(ports: ReadPorts) -> Any:
    return build_read(ports).compile()


async def test_a_save_is_a_span_with_one_a_node_also_of_those_that_run_side_by_side(telemetry: Telemetry) -> None:
    facts = ScriptedExtractor([FactChange(action="ADD", text="closes US_PRIMARY", event_ids=("u1",))])
    await write(facts=facts).ainvoke(written(CLOSE))
    assert telemetry.tree() == nodes_of("memory_write", *WRITE_NODES)
    counts = telemetry.attributes("memory_write.split") | telemetry.attributes("memory_write.persist")
    assert counts == telemetry.attributes("memory_write")
    assert counts == {
        "twofold.turns": 1,
        "twofold.turns.unseen": 1,
        "twofold.episode": True,
        "twofold.skipped": False,
        "twofold.changes.add": 2,
        "twofold.changes.update": 0,
        "twofold.changes.delete": 0,
        "twofold.changes.noop": 0,
    }
    assert telemetry.measured()["twofold.memories.changed"] == {"ADD semantic": 1, "ADD episodic": 1}


async def test_a_search_is_a_span_with_one_a_node(telemetry: Telemetry) -> None:
    memories = DictMemories(stored=[memory("f1"), memory("f2", minute=1), memory("e1", "episodic")])
    await read(read_ports(memories, [])).ainvoke({"scope": SCOPE, "query": "Which ledger?"})
    assert telemetry.tree() == nodes_of("memory_read", *READ_NODES)
    assert telemetry.attributes("memory_read") == {
        "twofold.found.facts": 2,
        "twofold.found.episodes": 1,
        "twofold.recalled.facts": 2,
        "twofold.recalled.episodes": 1,
    }


async def test_a_node_that_does_not_run_has_no_span(telemetry: Telemetry) -> None:
    await write().ainvoke(written([said("u1", "Hello")]))
    assert telemetry.tree() == nodes_of("memory_write", *WRITE_NODES[:3])
    assert telemetry.attributes("memory_write")["twofold.skipped"] is True
    assert "twofold.memories.changed" not in telemetry.measured()


async def test_two_runs_at_once_are_two_trees(telemetry: Telemetry) -> None:
    graph = write()
    await asyncio.gather(*(graph.ainvoke(written(CLOSE)) for _ in range(2)))
    assert telemetry.tree() == sorted(2 * nodes_of("memory_write", *WRITE_NODES))
    assert len({span.context.trace_id for span in telemetry.spans}) == 2


async def test_a_part_that_cannot_be_extracted_fails_its_node_and_the_run_by_the_class_of_the_error(
    telemetry: Telemetry,
) -> None:
    with pytest.raises(ExtractionFailed):
        await write(facts=ScriptedExtractor(failure="HTTP 429: canary")).ainvoke(written(CLOSE))
    assert telemetry.tree() == nodes_of("memory_write", *WRITE_NODES)
    failed = {span.name: span.status for span in telemetry.spans if span.status.status_code == StatusCode.ERROR}
    assert {name: status.description for name, status in failed.items()} == {
        "memory_write": "ExtractionFailed",
        "memory_write.extract_semantic": "ModelFailed",
        "memory_write.persist": "ExtractionFailed",
    }
    assert telemetry.attributes("memory_write")["error.type"] == "ExtractionFailed"
    assert telemetry.measured()["twofold.extractions.failed"] == {"semantic": 1}
    assert "canary" not in telemetry.text()
    assert not [span for span in telemetry.spans if span.events]


async def test_no_span_holds_a_word_or_an_id(telemetry: Telemetry) -> None:
    scope = {"tenant_id": "canary tenant", "user_id": "canary user"}
    facts = ScriptedExtractor([FactChange(action="ADD", text="a canary", event_ids=("canary-1",))])
    entries = [said("canary-1", "My canary"), *called("c1", "canary_tool", {"canary": 1}, canary="canary")]
    await write(facts=facts).ainvoke({"scope": scope, "session_id": "canary session", "entries": entries})
    ports = read_ports(DictMemories(stored=[memory("canary", text="canary")]), [])
    question = {"scope": scope, "query": "canary?", "except_session": "canary"}
    await read(ports).ainvoke(question)
    with pytest.raises(ZeroDivisionError, match="canary"):
        await read(replace(ports, embedder=Quoting())).ainvoke(question)
    assert len(telemetry.spans) == 7 + 7 + 4
    assert telemetry.attributes_of_all("memory_read.embed")[1] == {"error.type": "ZeroDivisionError"}
    assert "canary" not in telemetry.text()
    assert {name for span in telemetry.spans for name in span.attributes or ()} <= set(ATTRIBUTES)


class Quoting(HashEmbedder):
    """An embedder whose errors quote what it was asked."""

    async def embed(self, texts: Sequence[str]) -> Never:
        raise ZeroDivisionError(texts[0])


@pytest.mark.parametrize("way", ["copied", "events", "with a checkpoint", "in a host's graph"])
async def test_however_a_graph_is_run_it_is_one_run(telemetry: Telemetry, way: str) -> None:
    """A LangGraph server copies the graph it is handed, gives it a checkpointer and streams it."""
    graph, given, config = write(), written(CLOSE), {"configurable": {"thread_id": "t"}}
    if way == "copied":
        async for _ in graph.copy(update={"name": "g"}).with_config({"tags": ["a"]}).astream(given):
            pass
    elif way == "events":
        async for _ in graph.astream_events(given, version="v2"):
            pass
    elif way == "with a checkpoint":
        await write(InMemorySaver()).ainvoke(given, config)
    else:
        host: Any = StateGraph(WriteState)
        host.add_node("memory", graph)
        host.add_edge(START, "memory")
        await host.compile().ainvoke(given)
    assert telemetry.tree() == nodes_of("memory_write", *WRITE_NODES)


async def test_a_run_is_part_of_what_its_caller_does_and_leaves_the_caller_where_it_was(telemetry: Telemetry) -> None:
    tracer = trace.get_tracer("host")
    with tracer.start_as_current_span("host") as host:
        stream = write().astream(written(CLOSE))
        async for _ in stream:
            assert trace.get_current_span() is host
            break
        await stream.aclose()
        assert trace.get_current_span() is host
    assert ("memory_write", "host") in telemetry.tree()
    assert telemetry.one("memory_write").status.status_code == StatusCode.UNSET


def test_what_is_done_within_a_span_that_is_not_sampled_knows_that_it_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it would be the root of another trace, and sampled after all."""
    monkeypatch.setattr(spans, "_tracer", TracerProvider(sampler=ALWAYS_OFF).get_tracer("t"))
    with spans.span("memory_save") as current:
        assert trace.get_current_span() is current
        assert not current.get_span_context().trace_flags.sampled


async def test_what_is_not_sampled_is_not_sampled_further_down(telemetry: Telemetry) -> None:
    unsampled = trace.SpanContext(1, 1, is_remote=True)
    with trace.use_span(trace.NonRecordingSpan(unsampled)):
        await write().ainvoke(written(CLOSE))
    assert telemetry.spans == []

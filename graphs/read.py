"""The read graph: one query in, the recall out."""

from __future__ import annotations

from functools import partial
from typing import TypeAlias

from langgraph.graph import END, START
from langgraph.graph.state import CompiledStateGraph

from twofold.graphs.traced import TracedGraph
from twofold.memory.bound import read_ports_of
from twofold.memory.ports import ReadPorts
from twofold.memory.scope import Scope
from twofold.nodes.read import (
    ReadInput,
    ReadOutput,
    ReadState,
    embed,
    rank,
    redact,
    search_episodic,
    search_semantic,
    validate,
)

ReadGraph: TypeAlias = CompiledStateGraph[ReadState, None, ReadInput, ReadOutput]

SEARCH = ["search_semantic", "search_episodic"]


def build_read(ports: ReadPorts, *, bound: Scope | None = None) -> TracedGraph[ReadState, ReadInput, ReadOutput]:
    """Return the graph `memory_read`, not compiled.

    validate → redact → embed → search_semantic ∥ search_episodic → rank; `validate` ends it when the query
    is blank. `bound` fixes the scope, whatever the input says, and whatever its state says at a later step.
    """
    if bound is not None:
        ports = read_ports_of(ports, bound)
    graph = TracedGraph("memory_read", ReadState, takes=ReadInput, returns=ReadOutput)
    graph.add_step("validate", partial(validate, bound=bound))
    graph.add_step("redact", partial(redact, ports=ports))
    graph.add_step("embed", partial(embed, ports=ports))
    graph.add_step("search_semantic", partial(search_semantic, ports=ports))
    graph.add_step("search_episodic", partial(search_episodic, ports=ports))
    graph.add_step("rank", partial(rank, ports=ports))
    graph.add_edge(START, "validate")
    graph.add_conditional_edges("validate", _anything_asked, ["redact", END])
    graph.add_edge("redact", "embed")
    for search in SEARCH:
        graph.add_edge("embed", search)
    graph.add_edge(SEARCH, "rank")
    graph.add_edge("rank", END)
    return graph


def _anything_asked(state: ReadState) -> str:
    return "redact" if state["query"] else END

"""The write graph: one session in, facts and an episode stored."""

from __future__ import annotations

from functools import partial
from typing import TypeAlias

from langgraph.graph import END, START
from langgraph.graph.state import CompiledStateGraph

from twofold.graphs.traced import TracedGraph
from twofold.memory.bound import write_ports_of
from twofold.memory.ports import WritePorts
from twofold.memory.scope import Scope
from twofold.nodes.write import (
    WriteInput,
    WriteOutput,
    WriteState,
    extract_episodic,
    extract_semantic,
    persist,
    redact,
    split,
    validate,
)

WriteGraph: TypeAlias = CompiledStateGraph[WriteState, None, WriteInput, WriteOutput]

EXTRACT = ["extract_semantic", "extract_episodic"]


def build_write(ports: WritePorts, *, bound: Scope | None = None) -> TracedGraph[WriteState, WriteInput, WriteOutput]:
    """Return the graph `memory_write`, not compiled.

    validate → redact → split → extract_semantic ∥ extract_episodic → persist; `split` ends it when there is
    too little to remember. `bound` fixes the scope, whatever the input says, and whatever its
    state says at a later step.
    """
    if bound is not None:
        ports = write_ports_of(ports, bound)
    graph = TracedGraph("memory_write", WriteState, takes=WriteInput, returns=WriteOutput)
    graph.add_step("validate", partial(validate, bound=bound))
    graph.add_step("redact", partial(redact, ports=ports))
    graph.add_step("split", partial(split, ports=ports))
    graph.add_step("extract_semantic", partial(extract_semantic, ports=ports))
    graph.add_step("extract_episodic", partial(extract_episodic, ports=ports))
    graph.add_step("persist", partial(persist, ports=ports))
    graph.add_edge(START, "validate")
    graph.add_edge("validate", "redact")
    graph.add_edge("redact", "split")
    graph.add_conditional_edges("split", _worth_extracting, [*EXTRACT, END])
    graph.add_edge(EXTRACT, "persist")
    graph.add_edge("persist", END)
    return graph


def _worth_extracting(state: WriteState) -> list[str]:
    return [END] if state.get("skipped") else EXTRACT

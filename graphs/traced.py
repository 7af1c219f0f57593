"""A graph that tells OpenTelemetry of its runs: a span a run, and under it a span a node."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Any, TypeAlias, cast

from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.typing import InputT, OutputT, StateT
from opentelemetry import trace
from opentelemetry.context import attach, create_key, detach, get_value, set_value
from opentelemetry.trace import Span

from twofold import telemetry
from twofold.telemetry import Attributes

_RUN = create_key("twofold-run")

_ACTIONS = ("ADD", "UPDATE", "DELETE", "NOOP")

Node: TypeAlias = Callable[[Any], Awaitable[Any]]


class TracedGraph(StateGraph[StateT, None, InputT, OutputT]):
    """A `StateGraph` of steps; compiled, each of its runs is a span named after it."""

    def __init__(self, name: str, state: type[StateT], *, takes: type[InputT], returns: type[OutputT]) -> None:
        """Take the name of the graph and the schemas of its state, input and output."""
        super().__init__(state, input_schema=takes, output_schema=returns)
        self.traced_as = name

    def add_step(self, name: str, node: Node) -> None:
        """Add a node, in a span `<graph>.<node>` that holds counts of what it returned."""
        span_name = f"{self.traced_as}.{name}"

        async def traced(state: Any) -> Any:
            current = telemetry.started(span_name)
            if not telemetry.is_told(current):
                update = await node(state)
                _tell(name, update, current)
                return update
            with telemetry.within(current):
                update = await node(state)
                _tell(name, update, current)
                return update

        self.add_node(name, traced)

    def compile(self, *args: Any, **options: Any) -> CompiledStateGraph[StateT, None, InputT, OutputT]:
        """Return the graph to run, as `StateGraph.compile` does."""
        compiled = super().compile(*args, **options)
        compiled.__class__ = _TracedRuns  # LangGraph names the class of what it compiles to itself
        return compiled


class _TracedRuns(CompiledStateGraph[StateT, None, InputT, OutputT]):
    """A compiled graph; `ainvoke`, `astream_events` and a server's runs all come to `astream`."""

    async def astream(self, *args: Any, **options: Any) -> AsyncIterator[Any]:
        """Stream a run, in a span."""
        builder = self.builder
        run = telemetry.started(builder.traced_as if isinstance(builder, TracedGraph) else self.get_name())
        steps = cast("AsyncGenerator[Any, None]", super().astream(*args, **options))
        if telemetry.is_told(run):
            steps = _within(run, steps)
        async with aclosing(steps):
            async for chunk in steps:
                yield chunk


async def _within(run: Span, steps: AsyncGenerator[Any, None]) -> AsyncGenerator[Any, None]:
    """Run each step with this span as the current one, and end it.

    For the step only: what a generator leaves current between two of them is current for who asked it.
    """
    within = set_value(_RUN, run, trace.set_span_in_context(run))
    try:
        async with aclosing(steps):
            while True:
                token = attach(within)
                try:
                    chunk = await anext(steps)
                except StopAsyncIteration:
                    return
                finally:
                    detach(token)
                yield chunk
    except GeneratorExit:
        raise
    except BaseException as error:
        telemetry.fail(run, telemetry.error_type(error))
        raise
    finally:
        run.end()


def _tell(node: str, update: Mapping[str, Any], current: Span) -> None:
    """Tell a node's span, and that of the run, how much there was; count what was changed and what failed."""
    tell = _COUNTS.get(node)
    if tell is not None and current.is_recording():
        counts = tell(update)
        current.set_attributes(counts)
        if isinstance(run := get_value(_RUN), Span):
            run.set_attributes(counts)
    for part in ("semantic", "episodic"):
        if update.get(part, {}).get("failure"):
            telemetry.fail(current, "ModelFailed")
            telemetry.not_extracted(part)
    for change in update.get("saved", ()):
        telemetry.changed(change["action"], change["kind"])


def _split(update: Mapping[str, Any]) -> Attributes:
    turns = update.get("turns", ())
    return {
        "twofold.turns": len(turns),
        "twofold.turns.unseen": sum(not turn["context"] for turn in turns),
        "twofold.episode": update.get("episode") is not None,
        "twofold.skipped": bool(update.get("skipped")),
    }


def _saved(update: Mapping[str, Any]) -> Attributes:
    actions = [change["action"] for change in update.get("saved", ())]
    return {f"twofold.changes.{action.lower()}": actions.count(action) for action in _ACTIONS}


def _recalled(update: Mapping[str, Any]) -> Attributes:
    recall = update.get("recall", {})
    return {f"twofold.recalled.{kind}": len(recall.get(kind, ())) for kind in ("facts", "episodes")}


_COUNTS: Mapping[str, Callable[[Mapping[str, Any]], Attributes]] = {
    "split": _split,
    "persist": _saved,
    "search_semantic": lambda update: {"twofold.found.facts": len(update.get("found_semantic", ()))},
    "search_episodic": lambda update: {"twofold.found.episodes": len(update.get("found_episodic", ()))},
    "rank": _recalled,
}

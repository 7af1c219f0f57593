"""The page of docs/reference/ about spans and metrics, from what the code declares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from twofold.graphs.traced import TracedGraph
from twofold.telemetry import ATTRIBUTES, METRICS, NAME, SPANS

ABOUT = f"""\
# Spans and metrics

Tracer and meter are named `{NAME}`. They use OpenTelemetry's API only: nothing is made unless the host sets up its SDK.
No span and no metric holds a text, an id of a person, tenant or session, or an error's message.
"""


def telemetry_page(*graphs: TracedGraph[Any, Any, Any]) -> str:
    """Return the page; the graphs are those whose nodes have spans."""
    return "\n".join([ABOUT, *_spans(graphs), "", *_attributes(), "", *_metrics(), ""])


def _spans(graphs: Iterable[TracedGraph[Any, Any, Any]]) -> Iterator[str]:
    yield from ("## Spans", "", "| span | when |", "| --- | --- |")
    yield from (f"| `{name}` | {when} |" for name, when in SPANS.items())
    for graph in graphs:
        yield from (f"| `{graph.traced_as}.{node}` | the node `{node}` runs |" for node in graph.nodes)


def _attributes() -> Iterator[str]:
    yield from ("| attribute of spans | means |", "| --- | --- |")
    yield from (f"| `{name}` | {means} |" for name, means in ATTRIBUTES.items())


def _metrics() -> Iterator[str]:
    yield from ("## Metrics", "", "| metric | kind, unit | means | attributes |", "| --- | --- | --- | --- |")
    for metric in METRICS:
        attributes = "; ".join(f"`{name}`{of}" for name, of in map(_named, metric.attributes)) or "none"
        yield f"| `{metric.name}` | {metric.kind}, {metric.unit} | {metric.means} | {attributes} |"


def _named(attribute: str) -> tuple[str, str]:
    name, colon, values = attribute.partition(":")
    return name, f"{colon}{values}"

"""What OpenTelemetry is told of an agent's memory: the spans of a turn and of its save, and the metrics, as text.

Run `python examples/with_telemetry.py`: no key, no database, no collector to set up. Your own program sets the SDK up
with exporters that send, in the place of what prints here.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict

from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import with_service

spans, reader = InMemorySpanExporter(), InMemoryMetricReader()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(spans))
trace.set_tracer_provider(provider)
metrics.set_meter_provider(MeterProvider([reader]))


def show(below: int | None, depth: int, children: dict[int | None, list[ReadableSpan]]) -> None:
    """Print the spans below one, each under its parent."""
    for span in sorted(children[below], key=lambda each: each.start_time or 0):
        print(f"{'  ' * depth}{span.name}")
        show(span.context.span_id if span.context else None, depth + 1, children)


async def main() -> None:
    """Hold two conversations, then print what was told of them."""
    await with_service.main()
    children: dict[int | None, list[ReadableSpan]] = defaultdict(list)
    for span in spans.get_finished_spans():
        children[span.parent.span_id if span.parent else None].append(span)
    show(None, 0, children)
    found = reader.get_metrics_data()
    scopes = [scope for resource in found.resource_metrics for scope in resource.scope_metrics] if found else []
    print(*(metric.name for scope in scopes for metric in scope.metrics if scope.scope.name == "twofold"), sep="\n")


if __name__ == "__main__":
    asyncio.run(main())

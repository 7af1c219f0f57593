"""What OpenTelemetry was told during a test: spans and metrics, by the SDK.

The SDK takes one provider a process and keeps it: it is set up once, and keeps nothing outside these tests.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any, cast

import pytest
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import Counter, Histogram, MeterProvider
from opentelemetry.sdk.metrics.export import AggregationTemporality, HistogramDataPoint, InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider

from twofold.telemetry import NAME

__all__ = ["Telemetry", "telemetry"]


class Telemetry(SpanProcessor):
    """The spans that ended and the metrics that were measured since the test began."""

    def __init__(self) -> None:
        self._keeping = False
        self._ended: list[ReadableSpan] = []
        self.reader = InMemoryMetricReader(
            preferred_temporality=dict.fromkeys((Counter, Histogram), AggregationTemporality.DELTA)
        )

    def on_end(self, span: ReadableSpan) -> None:
        """Keep a span."""
        if self._keeping:
            self._ended.append(span)

    def begin(self) -> None:
        """Forget what was before."""
        self._ended.clear()
        self.reader.get_metrics_data()
        self._keeping = True

    def end(self) -> None:
        """Keep nothing more."""
        self._keeping = False
        self._ended.clear()

    @property
    def everything(self) -> list[ReadableSpan]:
        """Return all spans, those of others too."""
        return list(self._ended)

    @property
    def spans(self) -> list[ReadableSpan]:
        """Return our spans, in the order they began."""
        ours = [span for span in self._ended if span.instrumentation_scope and span.instrumentation_scope.name == NAME]
        return sorted(ours, key=lambda span: span.start_time or 0)

    def tree(self) -> list[tuple[str, str]]:
        """Return the name of each of our spans, in order of names, with that of its parent, "" for none."""
        names = {span.context.span_id: span.name for span in self._ended if span.context}
        return sorted((span.name, names.get(span.parent.span_id, "?") if span.parent else "") for span in self.spans)

    def one(self, name: str) -> ReadableSpan:
        """Return the one span of this name."""
        (found,) = [span for span in self.spans if span.name == name]
        return found

    def attributes(self, name: str) -> dict[str, Any]:
        """Return the attributes of the one span of this name."""
        return dict(self.one(name).attributes or {})

    def attributes_of_all(self, name: str) -> list[dict[str, Any]]:
        """Return the attributes of each span of this name."""
        return [dict(span.attributes or {}) for span in self.spans if span.name == name]

    def measured(self) -> dict[str, dict[str, float]]:
        """Return the points of our metrics since the last call: how often, or how much, by their attributes."""
        data = self.reader.get_metrics_data()
        found: dict[str, dict[str, float]] = {}
        for resource in data.resource_metrics if data else ():
            for scope in resource.scope_metrics:
                for metric in scope.metrics if scope.scope.name == NAME else ():
                    points = found.setdefault(metric.name, {})
                    for point in cast("Any", metric.data.data_points):
                        key = " ".join(str(value) for _, value in sorted((point.attributes or {}).items()))
                        points[key] = point.count if isinstance(point, HistogramDataPoint) else point.value
        return found

    def text(self) -> str:
        """Return everything that would be sent of our spans."""
        return "\n".join(json.dumps(json.loads(span.to_json()), ensure_ascii=False) for span in self.spans)


@cache
def _provided() -> Telemetry:
    telemetry = Telemetry()
    spans = TracerProvider()
    spans.add_span_processor(telemetry)
    trace.set_tracer_provider(spans)
    metrics.set_meter_provider(MeterProvider([telemetry.reader]))
    return telemetry


@pytest.fixture
def telemetry() -> Iterator[Telemetry]:
    """Record what OpenTelemetry is told."""
    telemetry = _provided()
    telemetry.begin()
    yield telemetry
    telemetry.end()

"""Spans, which hold the class of an error and never its words, and the trace that a request is part of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.context import Context, attach, detach
from opentelemetry.trace import Span, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from twofold.telemetry.terms import ERROR_TYPE, NAME, Attributes

# Of the caller's context only which trace it is: its baggage may be about people.
_carrier = TraceContextTextMapPropagator()
_tracer = trace.get_tracer(NAME)


@contextmanager
def span(name: str, attributes: Attributes | None = None, *, parent: Context | None = None) -> Iterator[Span]:
    """Make a span the current one; an error that leaves it is told by its class. `parent` wins over the current one."""
    current = started(name, attributes, parent=parent)
    with within(current):
        yield current


@contextmanager
def within(current: Span) -> Iterator[None]:
    """Make a span that was started the current one, and end it; an error that leaves it is told by its class."""
    token = attach(trace.set_span_in_context(current)) if is_told(current) else None
    try:
        yield
    except BaseException as error:
        fail(current, error_type(error))
        raise
    finally:
        if token is not None:
            detach(token)
        current.end()


def started(name: str, attributes: Attributes | None = None, *, parent: Context | None = None) -> Span:
    """Start a span that is not the current one; whoever started it ends it."""
    return _tracer.start_span(name, parent, attributes=attributes)


def is_told(current: Span) -> bool:
    """Whether anybody is told of a span: without an SDK nobody is, and nothing needs to be done for it.

    One that is not sampled is told of: what is done within it is not sampled either.
    """
    return current.get_span_context().is_valid


def fail(failed: Span, error: str) -> None:
    """Note the class of the error that a span ended with."""
    failed.set_attribute(ERROR_TYPE, error)
    failed.set_status(StatusCode.ERROR, error)


def error_type(error: BaseException) -> str:
    """Return what may be told of an error: the name of its class."""
    return type(error).__name__


def trace_headers() -> dict[str, str]:
    """Return the headers by which a server knows of the current trace, none without one."""
    headers: dict[str, str] = {}
    _carrier.inject(headers)
    return headers


@contextmanager
def part_of(headers: Mapping[str, str]) -> Iterator[None]:
    """Continue the trace that the headers of a request name, unless there is a current one already."""
    if "traceparent" not in headers or is_told(trace.get_current_span()):
        yield
        return
    token = attach(_carrier.extract(headers))
    try:
        yield
    finally:
        detach(token)

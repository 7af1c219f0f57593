"""What OpenTelemetry is told, through its API alone: nothing is kept or sent unless the host has set its SDK up.

No span and no metric holds a text, an id or an error's message: those are people's words and names. Of an error there
is its class.
"""

from twofold.telemetry.measures import (
    accepting,
    backlog_seen,
    backlog_unknown,
    changed,
    not_extracted,
    saving,
    searching,
)
from twofold.telemetry.spans import error_type, fail, is_told, part_of, span, started, trace_headers, within
from twofold.telemetry.terms import ATTRIBUTES, METRICS, NAME, SPANS, Attributes

__all__ = [
    "ATTRIBUTES",
    "METRICS",
    "NAME",
    "SPANS",
    "Attributes",
    "accepting",
    "backlog_seen",
    "backlog_unknown",
    "changed",
    "error_type",
    "fail",
    "is_told",
    "not_extracted",
    "part_of",
    "saving",
    "searching",
    "span",
    "started",
    "trace_headers",
    "within",
]

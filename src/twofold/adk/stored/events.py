"""One stored event as ADK's, also when another version of ADK wrote it."""

from __future__ import annotations

import json
from typing import Any

from google.adk.events.event import Event
from pydantic import ValidationError

_UNKNOWN = "extra_forbidden"


class UnreadableEvent(Exception):
    """An event that cannot be read; says why without quoting it."""


def event_of(event_id: str, invocation_id: str, seconds: float, data: str | None) -> Event:
    """Return an event of its row. `seconds`: its time where the data has none.

    Fields that this version of ADK does not know are left out. Raises UnreadableEvent.
    """
    try:
        fields = json.loads(data or "")
    except ValueError:
        raise UnreadableEvent("its data is not JSON") from None
    except RecursionError:
        raise UnreadableEvent("its data is nested too deep") from None
    if not isinstance(fields, dict):
        raise UnreadableEvent("its data is no JSON object")
    fields = {"timestamp": seconds, **fields, "id": event_id, "invocation_id": invocation_id}
    fields.pop("invocationId", None)  # its other spelling, which would win
    try:
        return Event.model_validate(fields)
    except ValidationError as error:
        return _without_unknown(fields, error)


def _without_unknown(fields: dict[str, Any], error: ValidationError) -> Event:
    """Return the event without the fields that are not known; what is known must be valid."""
    for problem in error.errors(include_input=False, include_url=False, include_context=False):
        if problem["type"] != _UNKNOWN or not _removed(fields, problem["loc"]):
            raise UnreadableEvent(_told(error))
    try:
        return Event.model_validate(fields)
    except ValidationError as still:
        raise UnreadableEvent(_told(still)) from None


def _removed(fields: Any, path: tuple[int | str, ...]) -> bool:
    """Remove what stands at a path, and return whether it was there."""
    *parents, last = path
    for step in parents:
        try:
            fields = fields[step]
        except (KeyError, IndexError, TypeError):
            return False
    return isinstance(fields, dict) and fields.pop(last, None) is not None


def _told(error: ValidationError) -> str:
    problem = error.errors(include_input=False, include_url=False, include_context=False)[0]
    return f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}"

"""What the user answered where the agent asked: to a confirmation yes or no, to a form its values."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from twofold.memory.jsontypes import Json
from twofold.memory.wording import compact

_JOINT = re.compile(r"[_\-\s]+|(?<=[a-z0-9])(?=[A-Z])")


def is_confirmed(payload: Json) -> bool:
    """Return whether an answer to a confirmation approves: `{"confirmed": true}`, however ADK wraps it."""
    answer = _unwrapped(payload)
    return isinstance(answer, Mapping) and answer.get("confirmed") is True


def form_text(answer: Json, request: Json) -> str:
    """Return the answer to a form as the user's words, a line a field: `Ledger: US Primary`.

    A field is named by the title in the request's `response_schema`, else by its key. An answer that is one
    value follows the question: `Which ledger? US Primary`. Fields left empty are left out.
    """
    values = _unwrapped(answer)
    asked = request if isinstance(request, Mapping) else {}
    if not isinstance(values, Mapping):
        message = asked.get("message")
        question = message.strip() if isinstance(message, str) else ""
        return f"{question} {shown}".strip() if (shown := _shown(values)) else ""
    titles = _titles(asked.get("response_schema"))
    lines = ((titles.get(key) or _label(key), _shown(value)) for key, value in values.items())
    return "\n".join(f"{label}: {shown}" for label, shown in lines if shown)


def _unwrapped(payload: Json) -> Json:
    """Return what is inside `{"result": …}` or `{"response": …}`, the forms user interfaces of ADK send."""
    for key in ("result", "response"):
        if isinstance(payload, Mapping) and set(payload) == {key}:
            payload = payload[key]
    if isinstance(payload, str) and payload.lstrip().startswith("{"):
        try:
            return dict(json.loads(payload))
        except (ValueError, TypeError, RecursionError):
            return payload
    return payload


def _titles(schema: Json) -> Mapping[str, str]:
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(properties, Mapping):
        return {}
    titles = {key: field.get("title") for key, field in properties.items() if isinstance(field, Mapping)}
    return {key: title for key, title in titles.items() if isinstance(title, str) and title.strip()}


def _label(key: str) -> str:
    words = " ".join(word for word in _JOINT.split(key) if word)
    return words[:1].upper() + words[1:]


def _shown(value: Json) -> str:
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, Mapping):
        return compact(value)
    if isinstance(value, Sequence):
        return ", ".join(filter(None, map(_shown, value)))
    return str(value)

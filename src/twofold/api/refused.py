"""A request that does not fit its form, in our words: the field and its limit, never what stood in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from twofold.memory.clean import clean_text
from twofold.memory.times import FIRST_YEAR, LAST_YEAR
from twofold.wire import NO_SUCH_TYPE, PROBLEM_TYPE, UNTELLABLE, Problem

_LONGEST_FIELD = 200

# By pydantic's kind of error: what is wrong, and what the field may be.
_WORDS: Mapping[str, tuple[str, str]] = {
    "missing": ("is missing", ""),
    "extra_forbidden": ("is not known here", ""),
    "string_too_short": ("is too short", "at least {min_length} character(s)"),
    "string_too_long": ("is too long", "at most {max_length} characters"),
    "too_short": ("has too few items", "at least {min_length} item(s)"),
    "too_long": ("has too many items", "at most {max_length} items"),
    "greater_than": ("is too small", "more than {gt}"),
    "greater_than_equal": ("is too small", "at least {ge}"),
    "less_than": ("is too large", "less than {lt}"),
    "less_than_equal": ("is too large", "at most {le}"),
    "literal_error": ("is none of the words it may be", "{expected}"),
    "timezone_aware": ("has no time zone", "a time with its zone, as 2026-03-01T12:00:00Z"),
    "string_unicode": ("is no text: it holds half a character", "Unicode without lone surrogates"),
    "finite_number": ("is no finite number", ""),
    UNTELLABLE: ("is too far away", f"of the years {FIRST_YEAR} to {LAST_YEAR}"),
}
_KINDS: Mapping[str, str] = {
    "string": "a text",
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "list": "a list",
    "tuple": "a list",
    "datetime": "a time with its zone, as 2026-03-01T12:00:00Z",
    "dict": "a JSON object",
    "model": "a JSON object, sent as application/json",
    "dataclass": "a JSON object",
}


def refused_field(errors: Sequence[Mapping[str, Any]]) -> Problem:
    """Return the problem of the first field that cannot be used."""
    first = errors[0]
    if first["type"] == "json_invalid":
        return _problem(400, "body", "is no JSON", "")
    field = _field(first["loc"])
    kind, context = str(first["type"]), first.get("ctx") or {}
    if kind == NO_SUCH_TYPE:
        return _problem(422, f"{field}.{context['field']}", "cannot be used", context["wanted"])
    if kind in _WORDS:
        wrong, limit = _WORDS[kind]
        return _problem(422, field, wrong, limit.format(**context))
    wanted = _KINDS.get(kind.partition("_")[0], "")
    return _problem(422, field, "cannot be used", wanted)


def _problem(status: int, field: str, wrong: str, limit: str) -> Problem:
    return Problem(
        type=f"{PROBLEM_TYPE}InvalidInput",
        title="Invalid input",
        status=status,
        detail=f"{field}: {wrong}" + (f"; it may be {limit}" if limit else ""),
        field=field,
        limit=limit or None,
    )


def _field(where: Sequence[int | str]) -> str:
    """Return a field as `memories[0].text`, without the part of the request it stood in."""
    path = where[1:] if len(where) > 1 else where
    name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return clean_text(name.removeprefix("."))[:_LONGEST_FIELD]

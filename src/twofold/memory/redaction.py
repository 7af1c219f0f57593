"""Secrets removed before any model, row, checkpoint or log sees them.

What counts as one is the table in `secret_kinds.py`. The placeholder names the kind, so that a reader still
knows that there was, say, a password. Redacting twice changes nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from twofold.memory.clean import clean_json
from twofold.memory.jsontypes import Json
from twofold.memory.secret_kinds import SECRET_KINDS, SecretKind
from twofold.memory.secret_patterns import SecretPattern
from twofold.memory.transcript import Entry

_CAMEL_JOINT = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_JOINT = re.compile(r"[\W_]+")
# What may follow the name of a secret in a key without changing what it names.
_TRAILERS = frozenset(
    "again b64 base64 confirm confirmation current hash hashed new old plain raw repeat string value".split()
)
_LARGEST_HARMLESS_INT = 10**12  # shorter ones are no card numbers
_PAIR_NAMES = ("name", "key", "field", "header")
_PLACEHOLDER = re.compile(r"\[redacted: [a-z -]+\]")


def redact_text(text: str) -> str:
    """Return `text` with a placeholder for each secret; JSON text is searched by its keys as well."""
    # Ends, as each round replaces at least one secret and never a placeholder.
    while (redacted := _redacted_once(text)) != text:
        text = redacted
    return text


def redact_json(value: Json) -> Json:
    """Return `value` with a placeholder for each secret, told by its key, a name beside it, or its text.

    The second is the form `{"name": "password", "value": …}` of headers and parameters.
    """
    if isinstance(value, str):
        return redact_text(value)
    if isinstance(value, Mapping):
        names = {key: redact_text(key) for key in value}
        beside = _name_beside(value)
        return {name: _redact_item(beside if name == "value" else name, value[key]) for key, name in names.items()}
    if isinstance(value, Sequence):
        return [redact_json(item) for item in value]
    if isinstance(value, int) and value > _LARGEST_HARMLESS_INT:
        text = redact_text(str(value))
        return value if text == str(value) else text
    return value


def redact_entries(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the entries without secrets in texts, arguments, responses, answers and errors."""
    return tuple(
        replace(
            entry,
            text=redact_text(entry.text),
            payload=redact_json(entry.payload),
            error=redact_text(entry.error),
        )
        for entry in entries
    )


def placeholder(kind: str) -> str:
    """Return what stands in a text where a secret of this kind stood."""
    return f"[redacted: {kind}]"


def _redacted_once(text: str) -> str:
    text = _redacted_json_text(text)
    lower = text.lower()
    for kind in SECRET_KINDS:
        if not kind.needs or any(word in lower for word in kind.needs):
            for pattern in kind.patterns:
                text = pattern.regex.sub(partial(_replaced, kind=kind, pattern=pattern), text)
    return text


def _replaced(found: re.Match[str], *, kind: SecretKind, pattern: SecretPattern) -> str:
    if not pattern.holds(found):
        return found[0]
    start, end = (position - found.start() for position in found.span("secret"))
    return found[0][:start] + placeholder(kind.name) + found[0][end:]


def _redacted_json_text(text: str) -> str:
    """Redact a text that is a JSON object or list by its keys; one that holds no secret stays as it is."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        parsed = clean_json(json.loads(text))
    except (ValueError, RecursionError):
        return text
    redacted = redact_json(parsed)
    return text if redacted == parsed else json.dumps(redacted, ensure_ascii=False)


def _redact_item(key: str, item: Json) -> Json:
    kind = _kind_of_key(key)
    if kind is not None and _is_secret(item, kind):
        return placeholder(kind.name)
    return redact_json(item)


def _name_beside(value: Mapping[str, Json]) -> str:
    names = (value.get(name) for name in _PAIR_NAMES)
    return next((redact_text(name) for name in names if isinstance(name, str)), "value")


@lru_cache(maxsize=4096)
def _kind_of_key(key: str) -> SecretKind | None:
    words = _words_of(_PLACEHOLDER.sub("", key))
    kinds = (
        kind
        for kind in SECRET_KINDS
        if words.endswith(tuple(f" {name}" for name in kind.keys)) or words.strip() in kind.whole_keys
    )
    return next(kinds, None)


def _words_of(key: str) -> str:
    """Return the words of a key in any case, each after a space, without numbers and trailers."""
    words = [word.rstrip("0123456789") for word in _JOINT.split(_CAMEL_JOINT.sub("_", key).lower())]
    words = [word for word in words if word]
    while words and words[-1] in _TRAILERS:
        words.pop()
    return "".join(f" {word}" for word in words)


def _is_secret(item: Json, kind: SecretKind) -> bool:
    if item is None or isinstance(item, bool) or item in ("", [], {}):
        return False
    if isinstance(item, str) and _PLACEHOLDER.fullmatch(item):
        return False
    if isinstance(item, (int, float)) and not kind.numbers:
        return False
    return kind.value is None or kind.value.fullmatch(str(item).strip()) is not None

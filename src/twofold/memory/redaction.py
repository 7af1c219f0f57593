"""Secrets removed before any model, row, checkpoint or log sees them.

What counts as one is the table in `secret_kinds.py`. The placeholder names the kind, so that a reader still
knows that there was, say, a password. Redacting twice changes nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

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
_LONG_KEY = 200
_ROUNDS = 6
_PLACEHOLDER = re.compile(r"\[redacted: [a-z -]+\]")


def redact_text(text: str) -> str:
    """Return `text` with a placeholder for each secret; JSON text is searched by its keys as well."""
    # Another round, since what stands right behind a secret may be told from it only when that is replaced.
    for replacing in (*[_replaced] * _ROUNDS, *[_blanked] * _ROUNDS):
        if (redacted := _redacted_once(text, replacing)) == text:
            return text
        text = redacted
    return placeholder("secret")


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


def _redacted_once(text: str, replacing: Callable[[str, SecretKind, SecretPattern], str]) -> str:
    text = _redacted_json_text(text)
    lower = text.lower()
    for kind in SECRET_KINDS:
        if not kind.needs or any(word in lower for word in kind.needs):
            for pattern in kind.patterns:
                text = replacing(text, kind, pattern)
    return text


def _replaced(text: str, kind: SecretKind, pattern: SecretPattern) -> str:
    """Put a placeholder for each secret."""
    return _with(placeholder(kind.name), text, (found.span("secret") for found in _secrets(text, pattern)))


def _blanked(text: str, kind: SecretKind, pattern: SecretPattern) -> str:
    """Put a placeholder for each line with a secret: so many are glued together that a round for each takes long."""
    return _with(placeholder(kind.name), text, _lines_of(text, pattern))


def _lines_of(text: str, pattern: SecretPattern) -> Iterator[tuple[int, int]]:
    end = -1
    for found in _secrets(text, pattern):
        if found.start("secret") > end:
            start, end = text.rfind("\n", 0, found.start("secret")) + 1, text.find("\n", found.end("secret"))
            end = len(text) if end < 0 else end
            yield start, end


def _secrets(text: str, pattern: SecretPattern) -> Iterator[re.Match[str]]:
    return (found for found in pattern.regex.finditer(text) if pattern.holds(found))


def _with(said: str, text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return the text with `said` in the place of each span."""
    parts, after = [], 0
    for start, end in spans:
        parts += [text[after:start], said]
        after = end
    return "".join((*parts, text[after:])) if parts else text


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
    # A long one is not remembered: thousands of them would fill the memory.
    kind = _kind_of_key(key) if len(key) <= _LONG_KEY else _kind_of_key.__wrapped__(key)
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

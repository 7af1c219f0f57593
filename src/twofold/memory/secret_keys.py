"""Secrets told by the key they stand under."""

from __future__ import annotations

import re
from functools import lru_cache

from twofold.memory.jsontypes import Json
from twofold.memory.secret_kind import SecretKind
from twofold.memory.secret_kinds import SECRET_KINDS
from twofold.memory.secret_search import PLACEHOLDER

_CAMEL_JOINT = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_JOINT = re.compile(r"[\W_]+")
# What may follow the name of a secret in a key without changing what it names.
_TRAILERS = frozenset(
    "again b64 base64 confirm confirmation current hash hashed new old plain raw repeat string value".split()
)
_LONG_KEY = 200


def kinds_of_key(key: str) -> tuple[SecretKind, ...]:
    """Return the kinds that a key names, in the order of the table."""
    # A long one is not remembered: thousands of them would fill the memory.
    return _kinds_of_key(key) if len(key) <= _LONG_KEY else _kinds_of_key.__wrapped__(key)


@lru_cache(maxsize=4096)
def _kinds_of_key(key: str) -> tuple[SecretKind, ...]:
    words = _words_of(PLACEHOLDER.sub("", key))
    return tuple(
        kind
        for kind in SECRET_KINDS
        if words.endswith(tuple(f" {name}" for name in kind.keys)) or words.strip() in kind.whole_keys
    )


def is_secret(item: Json, kind: SecretKind) -> bool:
    """Whether what stands under a key of this kind is a secret: neither empty, nor a flag, nor replaced already."""
    if item is None or isinstance(item, bool) or item in ("", [], {}):
        return False
    if isinstance(item, str) and PLACEHOLDER.fullmatch(item):
        return False
    if isinstance(item, (int, float)) and not kind.numbers:
        return False
    return kind.value is None or kind.value.fullmatch(str(item).strip()) is not None


def _words_of(key: str) -> str:
    """Return the words of a key in any case, each after a space, without numbers and trailers."""
    words = [word.rstrip("0123456789") for word in _JOINT.split(_CAMEL_JOINT.sub("_", key).lower())]
    words = [word for word in words if word]
    while words and words[-1] in _TRAILERS:
        words.pop()
    return "".join(f" {word}" for word in words)

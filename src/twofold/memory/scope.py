"""Whose memory it is, and the labels that name it in the store."""

from __future__ import annotations

import re
from base64 import b32decode, b32encode
from binascii import Error as NotBase32
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["semantic", "episodic"]

_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,64}")
_ENCODED = "x-"
_HASHED = "h-"
_LONGEST = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """One person in one tenant: the only unit in which memory is read, written, listed or erased."""

    tenant_id: str
    user_id: str


def label(identifier: str) -> str:
    """Return the label that stands for `identifier` in namespaces and tables.

    Two different identifiers never share a label. A plainly safe identifier stays readable; any other is
    base32 behind `x-`, or its SHA-256 behind `h-` where that would be longer than 64 characters. LangGraph
    refuses labels that are empty, contain a dot or are `langgraph`, and btree keys end at 2.7 kB.
    """
    plain = _PLAIN.fullmatch(identifier) and not identifier.startswith((_ENCODED, _HASHED))
    if plain and identifier != "langgraph":
        return identifier
    raw = identifier.encode("utf-8", "surrogatepass")
    encoded = _ENCODED + _base32(raw)
    return encoded if len(encoded) <= _LONGEST else _HASHED + _base32(sha256(raw).digest())


def identifier_of(given: str) -> str | None:
    """Return the identifier that a label stands for, None where it holds only its hash."""
    if not given.startswith((_ENCODED, _HASHED)):
        return given
    encoded = given.removeprefix(_ENCODED).upper()
    try:
        identifier = b32decode(encoded + "=" * (-len(encoded) % 8)).decode("utf-8", "surrogatepass")
    except (NotBase32, ValueError):
        return None
    return identifier if label(identifier) == given else None


def namespace(scope: Scope, kind: Kind) -> tuple[str, str, str]:
    """Return the namespace of one kind of memory of one person: `(tenant, kind, user)`."""
    return (label(scope.tenant_id), kind, label(scope.user_id))


def _base32(raw: bytes) -> str:
    return b32encode(raw).decode("ascii").rstrip("=").lower()

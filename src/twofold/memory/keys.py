"""Keys of memories and the fingerprint by which two equal texts are one."""

from __future__ import annotations

from hashlib import sha256
from unicodedata import normalize
from uuid import UUID, uuid5

from twofold.memory.scope import Scope, label

_TWOFOLD = UUID("7ad2b8a0-2f0e-5c55-9d57-2f0b5a3c1e10")


def fingerprint(text: str) -> str:
    """Return the hash shared by texts that differ only in case, spacing or unicode form."""
    return sha256(" ".join(normalize("NFKC", text).casefold().split()).encode()).hexdigest()


def fact_key(scope: Scope, session_id: str, text: str) -> str:
    """Return the key of a fact first said in this session."""
    return _key("semantic", scope, session_id, fingerprint(text))


def episode_key(scope: Scope, session_id: str) -> str:
    """Return the key of the one episode of this session."""
    return _key("episodic", scope, session_id)


def _key(kind: str, scope: Scope, session_id: str, *more: str) -> str:
    parts = (kind, label(scope.tenant_id), label(scope.user_id), label(session_id), *more)
    return str(uuid5(_TWOFOLD, "/".join(parts)))

"""Keys of memories and the fingerprint by which two equal texts are one."""

from __future__ import annotations

import re
from base64 import b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from hashlib import sha256
from unicodedata import normalize
from uuid import UUID, uuid5

from twofold.memory.errors import InvalidInput
from twofold.memory.scope import Scope, label

# Words that follow `/memory/` in our own routes; anything else there is a key.
RESERVED = frozenset({"export", "health", "search", "sessions", "retry"})
_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,200}")
_ENCODED = "~"
_SURROGATE = re.compile(r"[\ud800-\udfff]")
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


def url_key(key: str) -> str:
    """Return a key, or a session's id, as it stands in a URL: itself if it is plain, else `~` and base64url."""
    if _PLAIN.fullmatch(key) and key not in RESERVED:
        return key
    raw = key.encode("utf-8", "surrogatepass")
    return _ENCODED + urlsafe_b64encode(raw).decode("ascii").rstrip("=")


def key_of_url(given: str, name: str = "key") -> str:
    """Return the key, or the session's id, that `url_key` wrote. Raises InvalidInput, naming the field `name`."""
    if not given.startswith(_ENCODED):
        return given
    encoded = given.removeprefix(_ENCODED)
    try:
        padded = encoded.encode("ascii") + b"=" * (-len(encoded) % 4)
        raw = b64decode(padded, altchars=b"-_", validate=True)
        return raw.decode("utf-8", "surrogatepass")
    except (NotBase64, ValueError):
        raise InvalidInput(f"{name}: {given!r:.40} is none of ours: after `~` comes base64url of UTF-8") from None


def body_id(identifier: str) -> str:
    """Return an id as it stands in a body: itself, or as in a URL where JSON cannot hold it or it begins with `~`.

    `key_of_url` reads either.
    """
    is_plain = not identifier.startswith(_ENCODED) and not _SURROGATE.search(identifier)
    return identifier if is_plain else url_key(identifier)


def _key(kind: str, scope: Scope, session_id: str, *more: str) -> str:
    parts = (kind, label(scope.tenant_id), label(scope.user_id), label(session_id), *more)
    return str(uuid5(_TWOFOLD, "/".join(parts)))

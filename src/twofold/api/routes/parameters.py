"""Keys and session ids as they stand in an address."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Path
from starlette.convertors import Convertor, register_url_convertor

from twofold.memory.errors import InvalidInput
from twofold.memory.keys import RESERVED, key_of_url
from twofold.wire import LONGEST_ID

_LONGEST_ENCODED = 3 * LONGEST_ID * 4 // 3 + 2
_FORM = "as it is, percent-encoded, or `~` and its UTF-8 as base64url"


class _AsItStands(Convertor[str]):
    """Hands a part of an address on; `key_of_url` reads it."""

    def convert(self, value: str) -> str:
        """Return the text as it stands."""
        return value

    def to_string(self, value: str) -> str:
        """Return the text as it stands."""
        return value


class _KeyConvertor(_AsItStands):
    """Matches a key: no slash, and none of the words that our own addresses have in its place."""

    regex = rf"(?!(?:{'|'.join(sorted(RESERVED))})$)[^/]+"


class _RestConvertor(_AsItStands):
    """Matches all that is left of an address. Starlette's own `path` ends at a line break, which an id may hold."""

    regex = r"[\s\S]*"


register_url_convertor("memory_key", _KeyConvertor())
register_url_convertor("rest", _RestConvertor())


async def _key(
    key: Annotated[str, Path(max_length=_LONGEST_ENCODED, description=f"The memory's key: {_FORM}.")],
) -> str:
    return key_of_url(key)


async def _session_id(
    session_id: Annotated[str, Path(max_length=_LONGEST_ENCODED, description=f"The session's id: {_FORM}.")],
) -> str:
    found = key_of_url(session_id, "session_id")
    if not found:  # what came without a session has an empty one, and is no session
        raise InvalidInput("session_id: is empty")
    return found


async def _tenant_id(
    tenant_id: Annotated[str, Path(max_length=_LONGEST_ENCODED, description=f"The tenant: {_FORM}.")],
) -> str:
    found = key_of_url(tenant_id, "tenant_id")
    if not found:
        raise InvalidInput("tenant_id: is empty")
    return found


KeyInPath = Annotated[str, Depends(_key)]
SessionInPath = Annotated[str, Depends(_session_id)]
TenantInPath = Annotated[str, Depends(_tenant_id)]

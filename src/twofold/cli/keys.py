"""Keys of memories as a person gives them: whole, or their beginning where that is of one memory only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twofold.memory.errors import InvalidInput, NotFound
from twofold.memory.keys import key_of_url

if TYPE_CHECKING:
    from twofold.memory.scope import Scope
    from twofold.store.database import Database

LEAST = 6


async def whole_key(database: Database, scope: Scope, given: str) -> str:
    """Return the key that begins as given, of a memory or of one that is gone.

    Raises NotFound where none does, InvalidInput where several do.
    """
    key = key_of_url(given)
    found = await database.overview.keys_beginning(scope, key) if key else ()
    if key in found:
        return key
    if len(key) < LEAST:
        raise NotFound(f"There is no memory with the key {given!r}: give at least {LEAST} characters of the key")
    if not found:
        raise no_memory(given)
    if len(found) > 1:
        raise InvalidInput(f"key: {given!r} begins {len(found)} keys or more: {', '.join(found)}")
    return found[0]


def no_memory(given: str) -> NotFound:
    """Return the error that no memory has this key."""
    return NotFound(f"There is no memory with the key {given!r}")

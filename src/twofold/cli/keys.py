"""Keys of memories as a person gives them: whole, or their beginning where that is of one memory only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twofold.memory.errors import InvalidInput
from twofold.memory.keys import key_of_url

if TYPE_CHECKING:
    from twofold.memory.scope import Scope
    from twofold.store.database import Database

LEAST = 6


async def whole_key(database: Database, scope: Scope, given: str) -> str:
    """Return the key that begins as given, or what was given where none does. Raises InvalidInput for several."""
    key = key_of_url(given)
    if len(key) < LEAST:
        return key
    found = await database.overview.keys_beginning(scope, key)
    if key in found or not found:
        return key
    if len(found) > 1:
        raise InvalidInput(f"key: {given!r} begins {len(found)} keys or more: {', '.join(found)}")
    return found[0]

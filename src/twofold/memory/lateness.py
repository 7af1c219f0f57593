"""What was said before a fact was last said does not change it: an old session may be stored late."""

from __future__ import annotations

from twofold.memory.identifiers import identifiers
from twofold.memory.memories import Change, Memory


def is_late(change: Change, current: Memory) -> bool:
    """Whether a fact was said again after what would change it.

    Not where the change only adds to what the fact names, and never where the person made it by their own hand.
    """
    named = identifiers(current.text)
    adds = bool(named) and named < identifiers(change.text)
    said_since = change.source.at < current.updated_at
    return current.kind == "semantic" and said_since and not adds and change.source.origin != "user"

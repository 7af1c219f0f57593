"""A person's own correction of a fact: an update like any other, decided while nobody else can change it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from uuid import uuid4

from twofold.memory.errors import Conflict, InvalidInput, NotFound
from twofold.memory.memories import Applied, Change, Memory, Save, Source
from twofold.memory.scope import Scope


def correctable(memory: Memory | None, key: str, rev: int | None) -> Memory:
    """Return the fact that is to be corrected.

    Raises NotFound, InvalidInput for an episode, and Conflict if `rev` is not how often it was worded.
    """
    if memory is None:
        raise NotFound(f"This person has no memory {key!r:.80}: it was never stored, was erased, or has expired")
    if memory.kind == "episodic":
        raise InvalidInput("key: an episode is what happened; only facts are corrected")
    if rev is not None and rev != memory.rev:
        raise Conflict(f"The fact is at rev {memory.rev}, and rev {rev} was corrected: read it again")
    return memory


def correction(scope: Scope, key: str, text: str, now: datetime) -> Save:
    """Return the save that gives a fact the words of its person: an event of its own, now, of no session."""
    source = Source(session_id="", event_ids=(f"user-{uuid4()}",), at=now, origin="user")
    change = Change(action="UPDATE", kind="semantic", key=key, text=text, content={"content": text}, source=source)
    return Save(scope=scope, session_id="", generation=0, changes=(change,), seen_event_ids=(), models={})


def kept_of(applied: Iterable[Applied], now: datetime) -> str:
    """Return the key of the fact that a correction came to.

    Raises Conflict if it came to none: it is dated before its person was erased, so that it was kept out.
    """
    for item in applied:
        if item.action != "DELETE":
            return item.key
    raise Conflict(
        f"Nothing was corrected: this machine's clock says that it is {now:%Y-%m-%d %H:%M:%S %Z}, which is before this"
        " person was erased; set the clock right and correct the fact again"
    )

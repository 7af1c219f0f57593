"""Memories: listing, reading, adding, correcting and erasing them, and what was done to one."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import Field

from twofold.api.caller import CallerScope
from twofold.api.described import BODY, linked, problems
from twofold.api.erasing import erased_body
from twofold.api.opened import Opened
from twofold.api.routes.cursor import cursor_of, position_of
from twofold.api.routes.parameters import KeyInPath
from twofold.api.routes.router import router_of
from twofold.memory.clean import clean_text
from twofold.memory.errors import InvalidInput, NotFound
from twofold.memory.scope import Kind
from twofold.memory.verbatim import VerbatimText
from twofold.wire import (
    MOST_ON_A_PAGE,
    Body,
    ChangeBody,
    Correction,
    ErasedBody,
    History,
    MemoryBody,
    MemoryPage,
    Stored,
    Texts,
    Time,
)

router = router_of("memories")

_LONGEST_FILTER = 1_000
_LONGEST_CURSOR = 20_000
_UNKNOWN = "This person has no memory of that key: it was never stored, was erased, or has expired"
_OF_ONE = ("read_memory", "correct_memory", "memory_history", "erase_memory")
_LINKS = linked(201, _OF_ONE, "key", "/stored/0/key")


class _Listing(Body):
    kind: Kind | None = Field(default=None, description="Only facts (`semantic`) or episodes (`episodic`).")
    text: str | None = Field(
        default=None, max_length=_LONGEST_FILTER, description="Only memories with these words in them, in any case."
    )
    since: Time | None = Field(default=None, description="Only of events of this time or later.")
    until: Time | None = Field(default=None, description="Only of events before this time.")
    cursor: str | None = Field(
        default=None, max_length=_LONGEST_CURSOR, description="`next` of the page before, for the same filters."
    )
    limit: int = Field(default=50, ge=1, le=MOST_ON_A_PAGE, description="Most memories on this page.")


class _Newest(Body):
    limit: int = Field(default=100, ge=1, le=MOST_ON_A_PAGE, description="Most changes.")


@router.get("/memory", responses=problems(422))
async def list_memories(scope: CallerScope, app: Opened, asked: Annotated[_Listing, Query()]) -> MemoryPage:
    """Return what is remembered, the newest event first; looking at it does not prolong its life."""
    text = clean_text(asked.text or "") or None
    query = (asked.kind, text, asked.since, asked.until)
    after = None if asked.cursor is None else position_of(asked.cursor, query)
    found = await app.database.memories.page(
        scope,
        kind=asked.kind,
        text=text,
        since=asked.since,
        until=asked.until,
        after=after,
        limit=asked.limit,
    )
    return MemoryPage(
        memories=[MemoryBody.of(memory) for memory in found.memories],
        next=None if found.next is None else cursor_of(found.next, query),
    )


@router.post("/memory", status_code=201, responses={**problems(*BODY, 502), **_LINKS})
async def add_memories(scope: CallerScope, app: Opened, texts: Texts) -> Stored:
    """Store facts as they are worded, after taking out secrets; no model reads them."""
    worded = [VerbatimText(text=clean_text(text.text).strip(), at=text.at) for text in texts.memories]
    for position, text in enumerate(worded):
        if not text.text:
            raise InvalidInput(f"memories[{position}].text: is blank")
    return Stored.of(await app.add(scope, worded))


@router.get("/memory/{key:memory_key}", responses=problems(404, 422))
async def read_memory(scope: CallerScope, app: Opened, key: KeyInPath) -> MemoryBody:
    """Return one memory with its sources."""
    memory = await app.database.memories.get(scope, key)
    if memory is None:
        raise NotFound(_UNKNOWN)
    return MemoryBody.of(memory)


@router.put("/memory/{key:memory_key}", responses=problems(*BODY, 404, 409, 502))
async def correct_memory(scope: CallerScope, app: Opened, key: KeyInPath, correction: Correction) -> MemoryBody:
    """Correct a fact in the caller's own words; an episode is what happened, and stays.

    Words of another fact extend that one, which is returned, and this one is deleted.
    """
    return MemoryBody.of(await app.correct(scope, key, correction.text, rev=correction.rev))


@router.delete("/memory/{key:memory_key}", responses=problems(404, 422))
async def erase_memory(scope: CallerScope, app: Opened, key: KeyInPath) -> ErasedBody:
    """Erase one memory with its traces; handing its session over again does not bring it back."""
    erased = await app.database.memories.erase_memory(scope, key)
    if erased.nothing:
        raise NotFound(_UNKNOWN)
    return erased_body(erased, await app.database.memories.remains(scope, key=key))


@router.get("/memory/{key:memory_key}/history", responses=problems(404, 422))
async def memory_history(
    scope: CallerScope, app: Opened, key: KeyInPath, asked: Annotated[_Newest, Query()]
) -> History:
    """Return what was done to one memory, the newest first. Of an erased one, that it was; no words."""
    changes = await app.database.memories.history(scope, key, limit=asked.limit)
    if not changes and await app.database.memories.get(scope, key) is None:
        raise NotFound(_UNKNOWN)
    return History(changes=[ChangeBody.of(change) for change in changes])

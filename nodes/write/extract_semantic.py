"""Step 4a of `memory_write`: which facts the new turns add, update or delete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import chain

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from twofold.memory.chunks import Exchange, exchanges, settled
from twofold.memory.errors import ModelFailed
from twofold.memory.kept_chunks import KeptChunk, as_before, known_digest, said_digest
from twofold.memory.memories import FactChange, Memory
from twofold.memory.neighbours import NEIGHBOURS, nearest, queries_of, shown_to
from twofold.memory.ports import WritePorts
from twofold.memory.scope import Scope
from twofold.memory.steps import Turn
from twofold.nodes.plain import FACT_CHANGES, TURNS, plain, scope_of
from twofold.nodes.write.state import PartResult, WriteState

KEPT: TypeAdapter[tuple[KeptChunk, ...]] = TypeAdapter(tuple[KeptChunk, ...])


class Semantic(TypedDict):
    """The result of this branch."""

    semantic: PartResult


async def extract_semantic(state: WriteState, *, ports: WritePorts) -> Semantic:
    """Ask the extractor what the unseen turns change, chunk by chunk, and keep each reply that was paid for.

    A failure is returned as data: a raising node would cancel the other branch and lose its paid call, so
    `persist` raises instead.
    """
    parts = exchanges(TURNS.validate_python(state["turns"]))
    if not parts:
        return {"semantic": {"changes": [], "model": ports.facts.name}}
    scope = scope_of(state["scope"])
    try:
        changes = await _extracted(scope, state["session_id"], parts, ports)
    except ModelFailed as failure:
        return {"semantic": {"failure": str(failure), "model": ports.facts.name}}
    user_events = frozenset(turn.event_id for turn in chain(*parts) if turn.role == "user")
    return {
        "semantic": {
            "changes": plain(FACT_CHANGES, resting_on_user(changes, user_events)),
            "model": ports.facts.name,
        }
    }


def resting_on_user(changes: Sequence[FactChange], user_events: frozenset[str]) -> tuple[FactChange, ...]:
    """Return the changes with their sources cut to the unseen user-authored events (invariant 12).

    One that names none of them is dropped, whatever else it names. Only a deletion may name no event at all: what
    it rests on is all that the user said.
    """
    resting: list[FactChange] = []
    for change in changes:
        withdraws = change.action == "DELETE" and not change.event_ids
        if named := user_events if withdraws else user_events.intersection(change.event_ids):
            resting.append(replace(change, event_ids=tuple(sorted(named))))
    return tuple(resting)


async def _extracted(
    scope: Scope, session_id: str, parts: Sequence[Exchange], ports: WritePorts
) -> tuple[FactChange, ...]:
    """Return the changes of all chunks in order; a chunk that was read before, with the same facts, costs nothing."""
    asked_of = sha256(f"chunks\n{ports.facts.name}".encode()).hexdigest()
    before = await ports.kept.get(scope, session_id, "semantic", asked_of)
    kept = {each.said: each for each in KEPT.validate_python(before or ())}
    chunks = list(as_before(parts, kept.values()))
    changes: list[FactChange] = []
    for chunk, neighbours in zip(chunks, await _neighbours(scope, chunks, ports), strict=True):
        turns = _turns(chunk)
        known = shown_to(turns, neighbours, changes)
        said, given = said_digest(chunk), known_digest(known)
        if said not in kept or kept[said].known != given:
            found = tuple(await ports.facts.extract(turns, known))
            kept[said] = KeptChunk(said=said, exchanges=len(chunk), known=given, changes=found)
            await ports.kept.keep(scope, session_id, "semantic", asked_of, plain(KEPT, tuple(kept.values())))
        changes.extend(kept[said].changes)
    return settled(changes)


async def _neighbours(
    scope: Scope, chunks: Sequence[Sequence[Exchange]], ports: WritePorts
) -> list[tuple[Memory, ...]]:
    """Find what each chunk could update: one embedding call for all, then a search for each part of what was said."""
    asked: list[Sequence[str]] = [queries_of(_turns(chunk)) for chunk in chunks]
    queries = list(dict.fromkeys(chain(*asked)))
    vectors = dict(zip(queries, await ports.embedder.embed(queries), strict=True))
    near: list[tuple[Memory, ...]] = []
    for texts in asked:
        found: list[Memory] = []
        for text in texts:
            found += await ports.memories.search(scope, "semantic", query=text, vector=vectors[text], limit=NEIGHBOURS)
        near.append(nearest(found))
    return near


def _turns(chunk: Sequence[Exchange]) -> tuple[Turn, ...]:
    return tuple(chain(*chunk))

"""Step 4a of `memory_write`: which facts the new turns add, update or delete."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from typing_extensions import TypedDict

from twofold.memory.chunks import chunks, known_after, settled, window
from twofold.memory.errors import ModelFailed
from twofold.memory.memories import FactChange, Memory
from twofold.memory.ports import WritePorts
from twofold.memory.scope import Scope
from twofold.memory.steps import Turn
from twofold.nodes.plain import FACT_CHANGES, TURNS, plain, scope_of
from twofold.nodes.write.state import PartResult, WriteState

QUERIES = 8
NEIGHBOURS = 6
MOST_KNOWN = 20


class Semantic(TypedDict):
    """The result of this branch."""

    semantic: PartResult


async def extract_semantic(state: WriteState, *, ports: WritePorts) -> Semantic:
    """Ask the extractor what the unseen turns change; a failure is returned as data.

    A raising node would cancel the other branch and lose its paid call, so `persist` raises instead.
    """
    turns = window(TURNS.validate_python(state["turns"]))
    user_events = frozenset(turn.event_id for turn in turns if turn.role == "user" and not turn.context)
    if not user_events:
        return {"semantic": {"changes": [], "model": ports.facts.name}}
    scope = scope_of(state["scope"])
    try:
        known = await _known(scope, turns, ports)
        changes = await _extracted(scope, state["session_id"], turns, known, ports)
    except ModelFailed as failure:
        return {"semantic": {"failure": str(failure), "model": ports.facts.name}}
    return {
        "semantic": {
            "changes": plain(FACT_CHANGES, resting_on_user(changes, user_events)),
            "model": ports.facts.name,
        }
    }


def resting_on_user(changes: Sequence[FactChange], user_events: frozenset[str]) -> tuple[FactChange, ...]:
    """Return the changes with their sources cut to the unseen user-authored events (invariant 12).

    One that names other events only, such as what the agent said, is dropped. One that names none rests on all
    of them: the extractor had no others to read as sources.
    """
    return tuple(
        replace(change, event_ids=tuple(sorted(named)))
        for change in changes
        if (named := user_events.intersection(change.event_ids) if change.event_ids else user_events)
    )


async def _known(scope: Scope, turns: Sequence[Turn], ports: WritePorts) -> tuple[Memory, ...]:
    """Find what these turns could update: a search for each of the newest user turns of each chunk, best first."""
    groups = list(chunks(turns))
    queries = [text for group in groups for text in _asked(group)]
    vectors = await ports.embedder.embed(queries)
    found: dict[str, Memory] = {}
    for query, vector in zip(queries, vectors, strict=True):
        for memory in await ports.memories.search(scope, "semantic", query=query, vector=vector, limit=NEIGHBOURS):
            best = found.get(memory.key)
            if best is None or (memory.score or 0) > (best.score or 0):
                found[memory.key] = memory
    return tuple(sorted(found.values(), key=lambda memory: -(memory.score or 0))[: MOST_KNOWN * len(groups)])


def _asked(turns: Sequence[Turn]) -> list[str]:
    return [turn.text for turn in turns if turn.role == "user" and not turn.context][-QUERIES:]


async def _extracted(
    scope: Scope, session_id: str, turns: Sequence[Turn], known: Sequence[Memory], ports: WritePorts
) -> tuple[FactChange, ...]:
    """Return the kept result for exactly this input, else ask the extractor and keep what it says."""
    digest = _digest(turns, known, ports.facts.name)
    kept = await ports.kept.get(scope, session_id, "semantic", digest)
    if kept is not None:
        return FACT_CHANGES.validate_python(kept)
    changes: list[FactChange] = []
    for chunk in chunks(turns):
        changes.extend(await ports.facts.extract(chunk, known_after(known, changes)))
    await ports.kept.keep(scope, session_id, "semantic", digest, plain(FACT_CHANGES, settled(changes)))
    return settled(changes)


def _digest(turns: Sequence[Turn], known: Sequence[Memory], model: str) -> str:
    asked = [model, plain(TURNS, tuple(turns)), sorted((memory.key, memory.rev) for memory in known)]
    return sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()

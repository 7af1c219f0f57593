"""Step 3 of `memory_write`: text turns to one side, tool calls to the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NotRequired

from typing_extensions import TypedDict

from twofold.memory.chunks import refuse_too_long
from twofold.memory.keys import episode_key
from twofold.memory.memories import Progress, Retraction
from twofold.memory.ports import WritePorts
from twofold.memory.retraction import episode_retraction
from twofold.memory.rewinds import undone
from twofold.memory.scope import Scope
from twofold.memory.splitting import split as split_session
from twofold.memory.steps import SplitSession, Turn
from twofold.memory.tombstones import remaining
from twofold.memory.transcript import Entry, Transcript, without_noise
from twofold.nodes.plain import ENTRIES, EPISODE, RETRACTIONS, TURNS, plain, scope_of
from twofold.nodes.write.state import WriteState

ERASED = "everything in this session was erased before; say it anew to have it remembered"


class Split(TypedDict):
    """The turns, the episode, what a rewind retracts, and the generation of the scope they are compared with."""

    generation: int
    turns: list[dict[str, Any]]
    episode: dict[str, Any] | None
    retracted: list[dict[str, Any]]
    skipped: NotRequired[str]


async def split(state: WriteState, *, ports: WritePorts) -> Split:
    """Take the session apart, without what was erased of it, and mark the turns whose facts were extracted before.

    What is stored and rests on turns that were rewound since is to be retracted. Raises InvalidInput, before any
    model is asked, where the new turns are more than one save reads.
    """
    scope, session_id = scope_of(state["scope"]), state["session_id"]
    progress = await ports.memories.progress(scope, session_id)
    entries = remaining(ENTRIES.validate_python(state["entries"]), progress.tombstones)
    parts = split_session(Transcript(session_id=session_id, entries=entries))
    retracted = await _retracted(scope, session_id, entries, parts, ports)
    skipped = ERASED if state["entries"] and not entries else too_little(parts, min_messages=ports.min_messages)
    if skipped:
        parts = SplitSession(turns=(), episode=None)
    turns = _marked(parts.turns, progress)
    refuse_too_long(session_id, turns)
    return {
        "generation": progress.generation,
        "turns": plain(TURNS, turns),
        "episode": plain(EPISODE, parts.episode),
        "retracted": plain(RETRACTIONS, retracted),
        "skipped": "" if retracted else skipped,
    }


def _marked(turns: Sequence[Turn], progress: Progress) -> tuple[Turn, ...]:
    stones = [stone for stone in progress.tombstones if stone.kind == "semantic"]
    return tuple(
        replace(turn, context=turn.event_id in progress.seen_event_ids)
        for turn in turns
        if not any(stone.covers(turn.event_id, turn.at) for stone in stones)
    )


async def _retracted(
    scope: Scope, session_id: str, entries: Sequence[Entry], parts: SplitSession, ports: WritePorts
) -> tuple[Retraction, ...]:
    gone = undone(without_noise(entries))
    if gone is None:
        return ()
    facts = await ports.memories.retractions(scope, session_id, gone)
    told = None if parts.episode else await ports.memories.get(scope, episode_key(scope, session_id))
    episode = told and episode_retraction(told, session_id, gone)
    return (*facts, episode) if episode else tuple(facts)


def too_little(parts: SplitSession, *, min_messages: int) -> str:
    """Return why a session is not worth remembering, or an empty text when it is."""
    messages = len(parts.turns)
    if messages >= min_messages or parts.episode is not None:
        return ""
    return f"{messages} message(s) and no tool call; at least {min_messages} messages or one tool call are needed"

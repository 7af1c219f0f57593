"""Step 3 of `memory_write`: text turns to one side, tool calls to the other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NotRequired

from typing_extensions import TypedDict

from twofold.memory.ports import WritePorts
from twofold.memory.splitting import split as split_session
from twofold.memory.steps import SplitSession
from twofold.memory.tombstones import remaining
from twofold.memory.transcript import Transcript
from twofold.nodes.plain import ENTRIES, EPISODE, TURNS, plain, scope_of
from twofold.nodes.write.state import WriteState

ERASED = "everything in this session was erased before; say it anew to have it remembered"


class Split(TypedDict):
    """The turns, the episode, and the generation of the scope they are compared with."""

    generation: int
    turns: list[dict[str, Any]]
    episode: dict[str, Any] | None
    skipped: NotRequired[str]


async def split(state: WriteState, *, ports: WritePorts) -> Split:
    """Take the session apart, without what was erased of it, and mark the turns whose facts were extracted before."""
    progress = await ports.memories.progress(scope_of(state["scope"]), state["session_id"])
    entries = remaining(ENTRIES.validate_python(state["entries"]), progress.tombstones)
    parts = split_session(Transcript(session_id=state["session_id"], entries=entries))
    turns = [
        replace(turn, context=turn.event_id in progress.seen_event_ids)
        for turn in parts.turns
        if not any(stone.kind == "semantic" and stone.covers(turn.event_id, turn.at) for stone in progress.tombstones)
    ]
    return {
        "generation": progress.generation,
        "turns": plain(TURNS, tuple(turns)),
        "episode": plain(EPISODE, parts.episode),
        "skipped": ERASED if state["entries"] and not entries else too_little(parts, min_messages=ports.min_messages),
    }


def too_little(parts: SplitSession, *, min_messages: int) -> str:
    """Return why a session is not worth remembering, or an empty text when it is."""
    messages = len(parts.turns)
    if messages >= min_messages or parts.episode is not None:
        return ""
    return f"{messages} message(s) and no tool call; at least {min_messages} messages or one tool call are needed"

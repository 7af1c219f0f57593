"""Step 4b of `memory_write`: the episode, told from its steps."""

from __future__ import annotations

from hashlib import sha256
from typing import Any, NotRequired

from pydantic import ValidationError
from typing_extensions import TypedDict

from twofold.memory.continuation import continued
from twofold.memory.errors import ModelFailed
from twofold.memory.keys import episode_key
from twofold.memory.memories import Memory
from twofold.memory.ports import WritePorts
from twofold.memory.scope import Scope
from twofold.memory.steps import Episode, EpisodeWords
from twofold.nodes.plain import EPISODE, WORDS, plain, scope_of
from twofold.nodes.write.state import PartResult, WriteState


class Episodic(TypedDict):
    """The result of this branch, and the episode where the hand-over held only a part of it."""

    episodic: PartResult
    episode: NotRequired[dict[str, Any]]


async def extract_episodic(state: WriteState, *, ports: WritePorts) -> Episodic:
    """Have the episode worded; nothing to do without tool calls or when it is stored as it is."""
    episode = EPISODE.validate_python(state["episode"])
    scope = scope_of(state["scope"])
    if episode is None:
        return {"episodic": {}}
    stored = await ports.memories.get(scope, episode_key(scope, episode.session_id))
    if stored is not None:
        episode = _continued(episode, stored, state)
    data: dict[str, Any] = plain(EPISODE, episode)
    if stored is not None and _tells(stored, episode):
        return {"episodic": _reworded(stored, data), "episode": data}
    try:
        words = await _worded(scope, episode, ports)
    except ModelFailed as failure:
        return {"episodic": {"failure": str(failure), "model": ports.narrator.name}}
    return {"episodic": {"words": plain(WORDS, words), "model": ports.narrator.name}, "episode": data}


def _continued(episode: Episode, stored: Memory, state: WriteState) -> Episode:
    try:
        before = EPISODE.validate_python(dict(stored.content))
    except ValidationError:  # of other code, or of a version to come
        return episode
    given = frozenset(entry["event_id"] for entry in state["entries"])
    return episode if before is None else continued(episode, before, given)


def _tells(stored: Memory, episode: Episode) -> bool:
    return stored.content.get("narrative") == episode.narrative


def _reworded(stored: Memory, episode: dict[str, Any]) -> PartResult:
    """Return the stored words for data that the narrative does not tell, such as exact durations, else nothing."""
    if stored.content.get("runs") == episode["runs"]:
        return {}
    words = {name: stored.content.get(name) or "" for name in ("title", "overall", "lesson")}
    return {"words": words, "model": ""}


async def _worded(scope: Scope, episode: Episode, ports: WritePorts) -> EpisodeWords:
    digest = sha256(f"{ports.narrator.name}\n{episode.narrative}".encode()).hexdigest()
    kept = await ports.kept.get(scope, episode.session_id, "episodic", digest)
    if kept is not None:
        return WORDS.validate_python(kept)
    words = await ports.narrator.tell(episode)
    await ports.kept.keep(scope, episode.session_id, "episodic", digest, plain(WORDS, words))
    return words

"""Step 4b of `memory_write`: the episode, told from its steps."""

from __future__ import annotations

from hashlib import sha256

from typing_extensions import TypedDict

from twofold.memory.errors import ModelFailed
from twofold.memory.keys import episode_key
from twofold.memory.ports import WritePorts
from twofold.memory.scope import Scope
from twofold.memory.steps import Episode, EpisodeWords
from twofold.nodes.plain import EPISODE, WORDS, plain, scope_of
from twofold.nodes.write.state import PartResult, WriteState


class Episodic(TypedDict):
    """The result of this branch."""

    episodic: PartResult


async def extract_episodic(state: WriteState, *, ports: WritePorts) -> Episodic:
    """Have the episode worded; nothing to do without tool calls or when it is stored as it is."""
    episode = EPISODE.validate_python(state["episode"])
    scope = scope_of(state["scope"])
    if episode is None or await _stored(scope, episode, ports):
        return {"episodic": {}}
    try:
        words = await _worded(scope, episode, ports)
    except ModelFailed as failure:
        return {"episodic": {"failure": str(failure), "model": ports.narrator.name}}
    return {"episodic": {"words": plain(WORDS, words), "model": ports.narrator.name}}


async def _stored(scope: Scope, episode: Episode, ports: WritePorts) -> bool:
    stored = await ports.memories.get(scope, episode_key(scope, episode.session_id))
    return stored is not None and stored.content.get("narrative") == episode.narrative


async def _worded(scope: Scope, episode: Episode, ports: WritePorts) -> EpisodeWords:
    digest = sha256(f"{ports.narrator.name}\n{episode.narrative}".encode()).hexdigest()
    kept = await ports.kept.get(scope, episode.session_id, "episodic", digest)
    if kept is not None:
        return WORDS.validate_python(kept)
    words = await ports.narrator.tell(episode)
    await ports.kept.keep(scope, episode.session_id, "episodic", digest, plain(WORDS, words))
    return words

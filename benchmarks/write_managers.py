"""The two LangMem managers alone: same prompts, schemas, messages and known facts, in the same process."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langmem import create_memory_manager

from twofold.memory.errors import ModelFailed
from twofold.memory.memories import FactChange, Memory
from twofold.memory.steps import Episode, EpisodeWords, Turn
from twofold.models import episodes, facts
from twofold.models.chat import close_chat, open_chat
from twofold.models.managers import FORCED_TOOL

NAME = "gpt-4o-mini"


@dataclass(slots=True)
class Asked:
    """What a save asks of the models: the turns with the facts known then, and the episode.

    It stands for the extractor and the narrator of a graph, notes what they are asked, and answers nothing, so
    that nothing is stored.
    """

    name: str = "noting"
    conversations: list[tuple[Sequence[Turn], Sequence[Memory]]] = field(default_factory=list)
    told: list[Episode] = field(default_factory=list)

    async def extract(self, turns: Sequence[Turn], known: Sequence[Memory]) -> Sequence[FactChange]:
        """Note it."""
        self.conversations.append((turns, known))
        raise ModelFailed("noted")

    async def tell(self, episode: Episode) -> EpisodeWords:
        """Note it."""
        self.told.append(episode)
        raise ModelFailed("noted")


class BareManagers:
    """Both managers, made once, with nothing around them: no check of the reply, no redaction, nothing stored."""

    def __init__(self, base_url: str) -> None:
        """Make them for the running loop."""
        self._models = [open_chat(NAME, base_url=base_url, api_key="none", request=FORCED_TOOL) for _ in range(2)]
        self._facts = create_memory_manager(
            self._models[0],
            schemas=list(facts.SCHEMAS),
            instructions=facts.INSTRUCTIONS,
            enable_inserts=True,
            enable_updates=True,
            enable_deletes=True,
        )
        self._episodes = create_memory_manager(
            self._models[1],
            schemas=[episodes.EpisodeSchema],
            instructions=episodes.INSTRUCTIONS,
            enable_inserts=True,
            enable_updates=False,
            enable_deletes=False,
        )

    async def ask(self, asked: Asked) -> None:
        """Ask both at the same time, as the graph does."""
        await asyncio.gather(
            *(self._facts.ainvoke(_question(*each), _config()) for each in asked.conversations),
            *(self._episodes.ainvoke(_said(episodes.render(each)), _config()) for each in asked.told),
        )

    async def aclose(self) -> None:
        """Close the connections."""
        for model in self._models:
            await close_chat(model)


def _question(turns: Sequence[Turn], known: Sequence[Memory]) -> dict[str, Any]:
    existing = [
        (f"m{number}", "Memory", {"content": memory.text, "event_ids": []})
        for number, memory in enumerate(known, start=1)
    ]
    return {**_said(facts.render(turns).text), "existing": existing}


def _said(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


def _config() -> dict[str, Any]:
    return {"recursion_limit": 8, "configurable": {"max_attempts": 1}}

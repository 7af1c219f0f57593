"""What models say of a session, without secrets before it is kept: one may say what nobody told it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from twofold.memory.memories import FactChange, Memory
from twofold.memory.ports import FactExtractor, Narrator, WritePorts
from twofold.memory.redaction import Redactor
from twofold.memory.steps import Episode, EpisodeWords, Turn


def redacting_ports(ports: WritePorts) -> WritePorts:
    """Return the ports with extractors whose results hold no secret."""
    facts, narrator = _Facts(ports.facts, ports.redactor), _Narrator(ports.narrator, ports.redactor)
    return replace(ports, facts=facts, narrator=narrator)


@dataclass(frozen=True, slots=True)
class _Facts:
    facts: FactExtractor
    redactor: Redactor

    @property
    def name(self) -> str:
        return self.facts.name

    async def extract(self, turns: Sequence[Turn], known: Sequence[Memory]) -> Sequence[FactChange]:
        changes = await self.facts.extract(turns, known)
        return [replace(change, text=self.redactor.text(change.text)) for change in changes]


@dataclass(frozen=True, slots=True)
class _Narrator:
    narrator: Narrator
    redactor: Redactor

    @property
    def name(self) -> str:
        return self.narrator.name

    async def tell(self, episode: Episode) -> EpisodeWords:
        words = await self.narrator.tell(episode)
        return EpisodeWords(
            title=self.redactor.text(words.title),
            overall=self.redactor.text(words.overall),
            lesson=self.redactor.text(words.lesson),
        )

"""What models say of a session, without secrets before it is kept: one may say what nobody told it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from twofold.memory.memories import FactChange, Memory
from twofold.memory.ports import FactExtractor, Narrator, WritePorts
from twofold.memory.redaction import Redactor
from twofold.memory.steps import Episode, EpisodeWords, Turn
from twofold.memory.words import ENDED, plain_words

logger = logging.getLogger(__name__)

_NO_REQUEST = "Agent run"


def redacting_ports(ports: WritePorts) -> WritePorts:
    """Return the ports with extractors whose results hold no secret.

    A fact of which no word is left is left out, and so it does not take those beside it along; a title or a sentence
    of which none is left is the one that is made from the steps.
    """
    facts, narrator = _Facts(ports.facts, ports.redactor), _Narrator(ports.narrator, ports.redactor)
    return replace(ports, facts=facts, narrator=narrator)


def without_secrets(text: str, redactor: Redactor) -> str:
    """Return a text to be remembered without secrets, empty if no word of it is left."""
    redacted = redactor.text(text)
    worded = redacted.strip() if redacted == text else any(map(str.isalnum, redacted))
    return redacted if worded else ""


@dataclass(frozen=True, slots=True)
class _Facts:
    facts: FactExtractor
    redactor: Redactor

    @property
    def name(self) -> str:
        return self.facts.name

    async def extract(self, turns: Sequence[Turn], known: Sequence[Memory]) -> Sequence[FactChange]:
        changes = await self.facts.extract(turns, known)
        redacted = [replace(change, text=without_secrets(change.text, self.redactor)) for change in changes]
        worded = [change for change in redacted if change.action == "DELETE" or change.text]
        if left_out := len(changes) - len(worded):
            verb = "is" if left_out == 1 else "are"
            logger.info("%d of %d changes %s left out: no word is left of it", left_out, len(changes), verb)
        return worded


@dataclass(frozen=True, slots=True)
class _Narrator:
    narrator: Narrator
    redactor: Redactor

    @property
    def name(self) -> str:
        return self.narrator.name

    async def tell(self, episode: Episode) -> EpisodeWords:
        words, plain = await self.narrator.tell(episode), plain_words(episode)
        sentence = words.overall.removeprefix(f"{ENDED[episode.outcome]}: ")  # that alone says nothing of the whole
        overall = words.overall if without_secrets(sentence, self.redactor) else plain.overall
        return EpisodeWords(
            title=self._first(words.title, plain.title) or _NO_REQUEST,
            overall=self._first(overall, plain.overall),
            lesson=self._first(words.lesson),
        )

    def _first(self, *texts: str) -> str:
        """Return the first of the texts of which a word is left, empty if there is none."""
        return next(filter(None, (without_secrets(text, self.redactor) for text in texts)), "")

"""Models without a model, and a clock that stands still."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import blake2b

from twofold.memory.memories import FactChange, Memory, Vector
from twofold.memory.steps import Turn

_WORD = re.compile(r"\w+")


def word_vector(text: str, dims: int) -> tuple[float, ...]:
    """Return a vector of length 1 in which each word of `text` moves one place: shared words make texts near."""
    vector = [0.0] * dims
    for word in _WORD.findall(text.casefold()) or [""]:
        digest = int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
        vector[digest % dims] += 1.0 if digest >> 63 else -1.0
    if not any(vector):  # two words of opposite sign in one place
        vector[0] = 1.0
    length = math.sqrt(sum(value * value for value in vector))
    return tuple(value / length for value in vector)


class HashEmbedder:
    """An embedder that hashes words: deterministic, instant, and near for texts that share words."""

    def __init__(self, dims: int = 64) -> None:
        """Take the length of the vectors."""
        self._dims = dims
        self.asked: list[str] = []

    @property
    def name(self) -> str:
        """`testing:words`."""
        return "testing:words"

    @property
    def dims(self) -> int:
        """The length of each vector."""
        return self._dims

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return one vector per text; every text is recorded in `asked`."""
        self.asked.extend(texts)
        return [word_vector(text, self._dims) for text in texts]


class EchoExtractor:
    """A fact extractor that takes each new user turn for a fact, word by word."""

    @property
    def name(self) -> str:
        """`testing:echo`."""
        return "testing:echo"

    async def extract(self, turns: Sequence[Turn], known: Sequence[Memory]) -> Sequence[FactChange]:
        """Return an ADD for each user turn that was not extracted before."""
        return [
            FactChange(action="ADD", text=turn.text, event_ids=(turn.event_id,))
            for turn in turns
            if turn.role == "user" and not turn.context and turn.text.strip()
        ]


class FixedClock:
    """A clock that shows the time it was given until it is moved."""

    def __init__(self, at: datetime) -> None:
        """Take the time, with its zone."""
        self._at = at

    def now(self) -> datetime:
        """Return the time it shows."""
        return self._at

    def move(self, by: timedelta) -> None:
        """Put the clock forward, or back."""
        self._at += by

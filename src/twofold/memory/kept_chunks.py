"""What was paid for of a conversation: a reply for each chunk, found again although the conversation grew since."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256

from twofold.memory.chunks import Exchange, packed
from twofold.memory.memories import FactChange, Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptChunk:
    """The changes for the chunk of so many `exchanges` whose digest is `said`, given the facts of digest `known`."""

    said: str
    exchanges: int
    known: str
    changes: tuple[FactChange, ...]


def as_before(parts: Sequence[Exchange], kept: Iterable[KeptChunk]) -> Iterator[tuple[Exchange, ...]]:
    """Yield the exchanges in the chunks in which they were read before, and what follows packed anew.

    So a reply that was paid for is of use although the user went on before its save succeeded.
    """
    left = list(kept)
    start = 0
    while start < len(parts):
        again = next((each for each in left if said_digest(parts[start : start + each.exchanges]) == each.said), None)
        if again is None:
            break
        left.remove(again)
        yield tuple(parts[start : start + again.exchanges])
        start += again.exchanges
    yield from packed(parts[start:])


def said_digest(chunk: Sequence[Exchange]) -> str:
    """Return what stands for exactly these turns."""
    return _digest([[_plain(turn) for turn in exchange] for exchange in chunk])


def known_digest(known: Iterable[Memory]) -> str:
    """Return what stands for exactly these facts, in whatever order."""
    return _digest(sorted((memory.key, memory.rev, memory.text) for memory in known))


def _plain(turn: object) -> dict[str, str]:
    return {name: str(value) for name, value in asdict(turn).items()}  # type: ignore[call-overload]


def _digest(value: object) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()

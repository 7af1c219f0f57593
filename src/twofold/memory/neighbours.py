"""What is known that a chunk of a conversation may change: what to search for, and how much of it is shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from unicodedata import normalize

from twofold.memory.chunks import known_after
from twofold.memory.memories import FactChange, Memory
from twofold.memory.pieces import pieces, shown_bytes
from twofold.memory.steps import Turn

QUERIES = 24
QUERY_BYTES = 1_000
"""A vector of more text than this is near to nothing in particular."""
NEIGHBOURS = 6
MOST_KNOWN = 20
MOST_ADDED = 20
KNOWN_BYTES = 6_000
_FACT_BYTES = 80
_WORD = re.compile(r"\w{3,}")


def queries_of(turns: Sequence[Turn]) -> tuple[str, ...]:
    """Return what to search for: the newest of what the user says in a chunk, in parts of at most 1,000 bytes."""
    said = (turn.text for turn in turns if turn.role == "user")
    parts = dict.fromkeys(part.strip() for text in said for part in pieces(text, QUERY_BYTES) if part.strip())
    return tuple(parts)[-QUERIES:]


def nearest(found: Iterable[Memory]) -> tuple[Memory, ...]:
    """Return at most 20 of what was found, each once: those that hold an identifier first, then the most similar."""
    best: dict[str, Memory] = {}
    for memory in found:
        if memory.key not in best or _rank(memory) < _rank(best[memory.key]):
            best[memory.key] = memory
    return tuple(sorted(best.values(), key=_rank)[:MOST_KNOWN])


def shown_to(turns: Sequence[Turn], neighbours: Sequence[Memory], changes: Sequence[FactChange]) -> tuple[Memory, ...]:
    """Return the facts that a chunk is read with: its own neighbours, as the chunks before left them.

    Of what those added, the at most 20 facts that share the most words with the chunk. Facts beyond 6,000 bytes
    are left out, the least near first.
    """
    now = known_after(neighbours, changes)
    own = [memory for memory in now if memory.rev]
    words = _words(turn.text for turn in turns)
    added = sorted((memory for memory in now if not memory.rev), key=lambda memory: -len(words & _words([memory.text])))
    left = KNOWN_BYTES
    shown: list[Memory] = []
    for memory in _alternating(own, added[:MOST_ADDED]):
        left -= shown_bytes(memory.text) + _FACT_BYTES
        if left >= 0:
            shown.append(memory)
    return tuple(shown)


def _alternating(own: Sequence[Memory], added: Sequence[Memory]) -> Iterable[Memory]:
    for position in range(max(len(own), len(added))):
        yield from own[position : position + 1]
        yield from added[position : position + 1]


def _rank(memory: Memory) -> tuple[bool, float]:
    return not memory.exact, -(memory.score or 0.0)


def _words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in _WORD.findall(normalize("NFKC", text).casefold()))

"""Whether a change of a fact would lose an identifier that nobody took back: two companies are two facts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import normalize

from twofold.memory.change_words import ADDS, ARROWS, FORGETS, GONE, NEWS, NOT, REPLACES
from twofold.memory.spelling import plain_dashes
from twofold.memory.things import things

_SENTENCES = re.compile(r"(?<=[.!?;\n\u3002])\s*")
_JOINT = re.compile(r"[\W_]+")


def lost(before: str, after: str) -> frozenset[str]:
    """Return the identifiers of things that `before` names and `after` does not, however it is written.

    `US_PRIMARY` is not lost in "the US Primary ledger"; a quantity that changes, such as 5 days, is none.
    """
    spelled = _spelled(after)
    return frozenset(each for each in things(before) if f" {_spelled(each)} " not in f" {spelled} ")


def calls_for(said: Iterable[str], before: str, after: str) -> bool:
    """Return whether the words in `said` call for `after` in place of `before`, although it loses identifiers.

    They do with a word of change where they name what goes or what comes, or beside it, and anywhere if they
    name neither. "Now" and "new" are none next to "also", and "sold" is one where what goes is named. "Not 1000"
    and "1000 → 1010" say it without one.
    """
    gone = lost(before, after)
    if not gone:
        return True
    about = _about(said, gone | things(after))
    near = " ".join(about)
    if REPLACES.search(near) or FORGETS.search(near) or is_negated(near, gone):
        return True
    if any(GONE.search(each) for each in about if names(each, gone)):
        return True
    return NEWS.search(near) is not None and not ADDS.search(near)


def names(text: str, wanted: Iterable[str]) -> bool:
    """Return whether a text holds one of the identifiers `wanted`, however it is written."""
    spelled = f" {_spelled(text)} "
    return any(f" {_spelled(each)} " in spelled for each in wanted)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, without empty ones."""
    return [each for each in _SENTENCES.split(plain_dashes(text)) if each.strip()]


def is_negated(text: str, names: Iterable[str]) -> bool:
    """Return whether a text says "not" right before one of `names`, or puts an arrow behind it."""
    for name in names:
        exact = rf"(?<!\w){re.escape(name)}(?!\w)"
        if re.search(rf"{NOT}\W+(?:\w+\W+){{0,3}}{exact}|{exact}\s*{ARROWS}", text, re.IGNORECASE):
            return True
    return False


def _about(said: Iterable[str], wanted: frozenset[str]) -> list[str]:
    """Return the sentences that hold one of `wanted`, and those beside them; all of them if none does."""
    every = [each for text in said for each in sentences(text)]
    hits = [n for n, each in enumerate(every) if names(each, wanted)]
    near = {n + offset for n in hits for offset in (-1, 0, 1)}
    return [each for n, each in enumerate(every) if n in near or not hits]


def _spelled(text: str) -> str:
    return _JOINT.sub(" ", normalize("NFKC", text).casefold()).strip()

"""Whether a change of a fact would lose an identifier that nobody took back: two companies are two facts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import normalize

from twofold.memory.change_words import ADDS, ARROWS, FORGETS, NEWS, NOT, REPLACES
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
    name neither. "Now" and "new" are none next to "also". "Not 1000" and "1000 → 1010" say it without one.
    """
    gone = lost(before, after)
    if not gone:
        return True
    near = " ".join(_about(said, gone | things(after)))
    if REPLACES.search(near) or FORGETS.search(near) or _is_negated(near, gone):
        return True
    return NEWS.search(near) is not None and not ADDS.search(near)


def withdrawn(said: Iterable[str], fact: str) -> bool:
    """Return whether the words in `said` take back `fact`; one that names no identifier needs no such words."""
    named = things(fact)
    if not named:
        return True
    near = " ".join(_about(said, named))
    return bool(REPLACES.search(near) or FORGETS.search(near)) or _is_negated(near, named)


def _about(said: Iterable[str], names: Iterable[str]) -> list[str]:
    """Return the sentences that hold one of `names`, and those beside them; all of them if none does."""
    sentences = [each for text in said for each in _SENTENCES.split(normalize("NFKC", text)) if each.strip()]
    wanted = [f" {_spelled(name)} " for name in names]
    hits = [n for n, each in enumerate(sentences) if any(name in f" {_spelled(each)} " for name in wanted)]
    near = {n + offset for n in hits for offset in (-1, 0, 1)}
    return [each for n, each in enumerate(sentences) if n in near or not hits]


def _is_negated(text: str, names: Iterable[str]) -> bool:
    for name in names:
        exact = rf"(?<!\w){re.escape(name)}(?!\w)"
        if re.search(rf"{NOT}\W+(?:\w+\W+){{0,3}}{exact}|{exact}\s*{ARROWS}", text, re.IGNORECASE):
            return True
    return False


def _spelled(text: str) -> str:
    return _JOINT.sub(" ", normalize("NFKC", text).casefold()).strip()

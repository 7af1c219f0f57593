"""In which lines the user takes a fact back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from unicodedata import normalize

from twofold.memory.change_words import ENDS, FORGETS, GONE, NOT, REPLACES
from twofold.memory.exchange import is_negated, names, sentences
from twofold.memory.support import Line
from twofold.memory.things import things

_WORD = re.compile(r"\w+")
_NOT = re.compile(NOT, re.IGNORECASE)
_LONGER = 5
_STEM = 3
_FILLERS = frozenset(
    """
    i me my mine we us our you your he she it they the a an this that these those and or of to in on at by for with
    from as is am are was were be been have has had do does did will would shall should can could still yet please
    always usually just user users
    ich mich mir mein meine wir uns unser sie ihr ihre er es der die das den dem des ein eine einen einem und oder von
    zu im am an auf für mit ist bin sind war haben habe hat noch immer bitte
    je me moi mon ma mes nous notre nos vous votre vos il elle le la les l un une des du de d et ou à au aux en pour par
    avec est suis sont êtes ai a avez encore toujours
    yo mi mis nosotros nuestro su sus el los las un una unos y o del al en por para con es soy son está están he ha
    todavía aún siempre
    """.split()
)


def withdrawing(lines: Iterable[Line], fact: str) -> tuple[Line, ...]:
    """Return the lines by whose words the user takes back `fact`, the plainest ones only.

    A word of withdrawal in a sentence that names a thing of the fact (or, where no line names one, a telling word
    of it) is plainer than one in the sentences beside it; it counts anywhere only where the fact is not named. A no
    to a question that names the thing takes it back too, unless the question is whether to forget it.
    """
    lines = tuple(line for line in lines if line.bears)
    known = _Fact(fact)
    said = [(line, each) for line in lines for each in sentences(line.words)]
    by_name = [n for n, (_, each) in enumerate(said) if names(each, known.named)]
    hits = by_name or [n for n, (_, each) in enumerate(said) if known.is_in(each)]
    refusing = [line for line in lines if any(known.is_in(each) and not _takes(each) for each in line.denied)]
    taking = [said[n][0] for n in hits if known.is_taken_back(said[n][1], by_name=bool(by_name or not known.named))]
    if plain := [line for line in lines if line in refusing or line in taking]:
        return tuple(plain)
    beside = [(said[n][0], said[at][0], said[at][1]) for n in hits for at in (n - 1, n + 1) if 0 <= at < len(said)]
    near = [(own, line) for own, line, each in beside if _takes(each) or (by_name and ENDS.search(each))]
    tiers: Iterable[Iterable[Line]] = (
        [line for own, line in near if own is line],
        [line for _, line in near],
        () if by_name else [line for line, each in said if _takes(each, anywhere=True)],
    )
    return next((tuple(dict.fromkeys(each)) for each in tiers if each), ())


def naming(lines: Iterable[Line], fact: str) -> tuple[Line, ...]:
    """Return the lines that are about `fact` and may take it back in words that no table holds.

    They name a thing of it (or a telling word of it and no other thing), or answer a question that does. To ask
    about it, to say it once more and to say yes to it are none.
    """
    known = _Fact(fact)
    return tuple(line for line in lines if line.bears and (_speaks_of(line.text, known) or _replies_on(line, known)))


class _Fact:
    """A fact to look for in sentences: the things that it names, and its words but for the commonest."""

    def __init__(self, text: str) -> None:
        self.named = things(text)
        self._words = frozenset(_telling(text))

    def is_in(self, text: str) -> bool:
        """Return whether a sentence names a thing of the fact, or names no thing and shares a longer word with it."""
        if names(text, self.named):
            return True
        words = [word for word in _telling(text) if len(word) >= _LONGER and self._has(word, shortest=_LONGER)]
        return bool(words) and not (self.named and things(text))

    def is_all_of(self, text: str) -> bool:
        """Return whether a sentence says no more than the fact does."""
        return all(self._has(word) for word in _telling(text))

    def is_taken_back(self, text: str, *, by_name: bool) -> bool:
        """Return whether a sentence that is about the fact holds a word of withdrawal, or of an end."""
        if _takes(text) or (by_name and ENDS.search(text)):
            return True
        return is_negated(text, self.named) or (by_name and not self.named and bool(_NOT.search(text)))

    def _has(self, word: str, *, shortest: int = 0) -> bool:
        return any(len(each) >= shortest and _is_alike(word, each) for each in self._words)


def _speaks_of(text: str, known: _Fact) -> bool:
    said = sentences(text)
    for n, each in enumerate(said):
        if not known.is_in(each):
            continue
        if "?" not in each:
            if not known.is_all_of(each):
                return True
        elif any("?" not in after for after in said[n + 1 : n + 2]):
            return True
    return False


def _replies_on(line: Line, known: _Fact) -> bool:
    if denied := line.denied:
        return any(known.is_in(each) and not _takes(each) for each in denied)
    agrees = line.agrees
    return any(known.is_in(each) and not (agrees and known.is_all_of(each)) for each in line.questions)


def _takes(text: str, *, anywhere: bool = False) -> bool:
    if REPLACES.search(text) or FORGETS.search(text):
        return True
    return GONE.search(text) is not None and not (anywhere and things(text))


def _telling(text: str) -> Sequence[str]:
    return [each for each in _WORD.findall(normalize("NFKC", text).casefold()) if each not in _FILLERS]


def _is_alike(one: str, other: str) -> bool:
    """Return whether two words are one in two endings: works and work."""
    if one == other or any(character.isdigit() for character in one + other):
        return one == other
    shared = max(_STEM, min(len(one), len(other)) - 1)
    return one[:shared] == other[:shared]

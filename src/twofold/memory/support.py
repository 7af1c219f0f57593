"""Whether what a fact names exactly was ever said by the user: the guard against text that came by a tool."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from twofold.memory.assent import answers, denied, is_bare_no, questions, says_nothing
from twofold.memory.change_words import NOT
from twofold.memory.identifiers import identifiers
from twofold.memory.spelling import plain_dashes, with_numbers, with_ranges, without_groups

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_URL = re.compile(
    r"(?:[a-z][a-z0-9+.-]{1,20}://|www\.)[^\s\"'<>]+|(?<![\w.@-])(?:[\w-]+\.)+[a-z]{2,24}(?:/[^\s\"'<>]*)?"
)
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:[ -]?[A-Z]{4})?(?:[ -]?\d{2,4}){3,8}(?:[ -]?[A-Z0-9]{1,4})?\b", re.IGNORECASE)
_ADDRESSES = (_EMAIL, _URL, _IBAN)
_PLAIN_NUMBER = re.compile(r"\d{1,2}(?:-?[a-z]+|%)?")
_LIST = re.compile(r"[,/]+")
_GAP = re.compile(r"[ -]")
_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_NEGATIVE = re.compile(NOT, re.IGNORECASE)
_SPELLINGS: tuple[Callable[[str], str], ...] = (str, without_groups, with_ranges, with_numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the user, and what the agent said since the line before, empty for nothing. `year` is when."""

    event_id: str
    text: str
    asked: str
    year: int

    @property
    def agrees(self) -> bool:
        """Whether it says yes to a question, or chooses."""
        return answers(self.text, self.asked)

    @property
    def denied(self) -> tuple[str, ...]:
        """The questions that it says no to."""
        return denied(self.text, self.asked)

    @property
    def questions(self) -> tuple[str, ...]:
        """What the agent asked."""
        return questions(self.asked)

    @property
    def bears(self) -> bool:
        """Whether a fact can rest on it: it says something, or answers a question."""
        says = not (says_nothing(self.text) or is_bare_no(self.text))
        return says or self.agrees or bool(self.denied)

    @property
    def words(self) -> str:
        """What it says, together with the question where it says yes to one."""
        return f"{self.asked}\n{self.text}" if self.agrees else self.text


def unsupported(fact: str, *, said: Iterable[Line], cited: Iterable[Line], before: str = "") -> tuple[str, ...]:
    """Return the exact names in `fact` that the user never said: identifiers, e-mail and web addresses, IBANs.

    They may stand in any line of the user's, in the text of the fact `before` the change, or in what the agent
    asked right before a cited line that says yes; an address then in the question itself. A no supports what the
    question names where the fact says "not". Numbers of one or two digits count as words, and so does the year in
    which it was said, and those beside it.
    """
    said, cited = tuple(said), tuple(cited)
    own = _Said((*(line.text for line in said), before))
    fact = plain_dashes(fact)
    no = [each for line in cited for each in line.denied] if _NEGATIVE.search(fact) else []
    asked = _Said([*(each for line in cited if line.agrees for each in line.questions), *no])
    around = _Said([*(line.asked for line in cited if line.agrees), *no])
    years = {str(line.year + offset) for line in said for offset in (-1, 0, 1)}
    addresses, rest = _apart(fact)
    strange = [each for each in addresses if not (own.holds(each) or asked.holds(each))]
    strange += [
        each for each in sorted(_exact(rest)) if each not in years and not (own.holds(each) or around.holds(each))
    ]
    return tuple(strange)


class _Said:
    """Texts to look something up in, whatever its case, the spelling of its numbers or the gaps of an IBAN."""

    def __init__(self, texts: Iterable[str]) -> None:
        plain = plain_dashes("\n".join(texts)).casefold()
        self._spellings = tuple((each, each(plain)) for each in _SPELLINGS)
        self._unbroken = _GAP.sub("", plain)

    def holds(self, name: str) -> bool:
        name = name.casefold()
        if _IBAN.fullmatch(name):
            return _GAP.sub("", name) in self._unbroken
        if any(_stands_in(each(name), text) for each, text in self._spellings):
            return True
        if _SCHEME.match(name):
            return self.holds(_SCHEME.sub("", name).rstrip("/"))
        parts = [part for part in _LIST.split(name) if part]
        return len(parts) > 1 and all(self.holds(part) for part in parts)


def _stands_in(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _apart(text: str) -> tuple[list[str], str]:
    """Return the addresses in a text, and the text without them."""
    found: list[str] = []
    for shape in _ADDRESSES:
        found += (each.rstrip(".,;:!?)") for each in shape.findall(text))
        text = shape.sub(" ", text)
    return found, text


def _exact(text: str) -> Iterator[str]:
    for name in identifiers(text):
        named = "_" in name or any(character.isdigit() for character in name)
        if named and not _PLAIN_NUMBER.fullmatch(name):
            yield name

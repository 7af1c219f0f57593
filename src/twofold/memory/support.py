"""Whether what a fact names exactly was ever said by the user: the guard against text that came by a tool."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from unicodedata import normalize

from twofold.memory.assent import answers, questions, says_nothing
from twofold.memory.identifiers import identifiers

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_URL = re.compile(
    r"(?:[a-z][a-z0-9+.-]{1,20}://|www\.)[^\s\"'<>]+|(?<![\w.@-])(?:[\w-]+\.)+[a-z]{2,24}(?:/[^\s\"'<>]*)?"
)
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:[ -]?[A-Z]{4})?(?:[ -]?\d{2,4}){3,8}(?:[ -]?[A-Z0-9]{1,4})?\b", re.IGNORECASE)
_ADDRESSES = (_EMAIL, _URL, _IBAN)
_PLAIN_NUMBER = re.compile(r"\d{1,2}(?:-?[a-z]+|%)?")
_LIST = re.compile(r"[,/]+")
_GROUPED = re.compile(r"(?<=\d)[.,'\u2019 ](?=\d{3}(?!\d))")
_GAP = re.compile(r"[ -]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the user, and what the agent said right before it, empty for nothing. `year` is when."""

    event_id: str
    text: str
    asked: str
    year: int

    @property
    def bears(self) -> bool:
        """Whether a fact can rest on it: it says something, or answers a question."""
        return not says_nothing(self.text) or answers(self.text, self.asked)

    @property
    def words(self) -> str:
        """What it says, together with the question where it says yes to one."""
        return f"{self.asked}\n{self.text}" if answers(self.text, self.asked) else self.text


def unsupported(fact: str, *, said: Iterable[Line], cited: Iterable[Line], before: str = "") -> tuple[str, ...]:
    """Return the exact names in `fact` that the user never said: identifiers, e-mail and web addresses, IBANs.

    They may stand in any line of the user's, in the text of the fact `before` the change, or in what the agent
    asked right before a cited line that says yes; an address then in the question itself. Numbers of one or
    two digits count as words, and so does the year in which it was said, and those beside it.
    """
    said, cited = tuple(said), tuple(cited)
    own = _Said((*(line.text for line in said), before))
    yes = [line.asked for line in cited if answers(line.text, line.asked)]
    asked = _Said(each for text in yes for each in questions(text))
    around = _Said(yes)
    years = {str(line.year + offset) for line in said for offset in (-1, 0, 1)}
    addresses, rest = _apart(normalize("NFKC", fact))
    strange = [each for each in addresses if not (own.holds(each) or asked.holds(each))]
    strange += [
        each for each in sorted(_exact(rest)) if each not in years and not (own.holds(each) or around.holds(each))
    ]
    return tuple(strange)


class _Said:
    """Texts to look something up in, whatever its case, its grouping of digits or the gaps of an IBAN."""

    def __init__(self, texts: Iterable[str]) -> None:
        plain = normalize("NFKC", "\n".join(texts)).casefold()
        self._texts = (plain, _GROUPED.sub("", plain), _GAP.sub("", plain))

    def holds(self, name: str) -> bool:
        if _IBAN.fullmatch(name):
            return _GAP.sub("", name.casefold()) in self._texts[2]
        for wanted, text in zip((name.casefold(), _GROUPED.sub("", name.casefold())), self._texts, strict=False):
            if re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", text):
                return True
        parts = [part for part in _LIST.split(name) if part]
        return len(parts) > 1 and all(self.holds(part) for part in parts)


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

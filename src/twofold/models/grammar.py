"""English sentences of a user, told in the third person: "I prefer PDF" → "The user prefers PDF."."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ABBREVIATIONS = frozenset("e.g i.e etc no nr vs approx mr mrs ms dr st inc ltd co corp jan feb mar apr".split())
_SENTENCE_END = re.compile(r"([.!?]+)\s+|\n+|;\s*")
_CLAUSE = re.compile(
    r"(?:,\s*|\s+)(?:and|but|so)\s+(?=(?:i|my|we|our|please|always|never)\b)|,\s*(?=(?:i|my|we|our)\b)", re.IGNORECASE
)

_MODALS = frozenset("can could may might must shall should will would".split())
_IRREGULAR = {"am": "is", "are": "is", "be": "is", "do": "does", "go": "goes", "have": "has"}
ADVERB = r"(?:always|never|usually|typically|normally|generally|mostly|mainly|often|also|only|now|really)"
_FIRST_PERSON = re.compile(
    rf"(?P<who>i|we)\s+(?P<adverbs>(?:{ADVERB}\s+)*)(?P<no>(?:do not|don't)\s+)?(?P<verb>[a-z]+)(?P<rest>\b.*)",
    re.IGNORECASE | re.DOTALL,
)
_CONTRACTED = (
    (re.compile(r"\b(i|we)'m\b", re.IGNORECASE), r"\1 am"),
    (re.compile(r"\b(we|you|they)'re\b", re.IGNORECASE), r"\1 are"),
    (re.compile(r"\b(i|we|you)'ve\b", re.IGNORECASE), r"\1 have"),
    (re.compile(r"\bit's\b", re.IGNORECASE), "it is"),
    (re.compile(r"\b(is|are)n't\b", re.IGNORECASE), r"\1 not"),
)
_ORDER = "The user wants the agent"

# "US" is a country, "us" is the user's team.
_PRONOUNS = (
    (re.compile(r"\b(?:[Ii] am|[Ww]e are)\b"), "they are"),
    (re.compile(r"\b(?:I|i|[Ww]e)\b"), "they"),
    (re.compile(r"\b[Yy]ou are\b"), "the agent is"),
    (re.compile(r"\b[Yy]ou\b"), "the agent"),
    (re.compile(r"\b[Yy]our\b"), "the agent's"),
    (re.compile(r"\b(?:[Mm]y|[Oo]ur)\b"), "their"),
    (re.compile(r"\b(?:me|us)\b"), "them"),
    (re.compile(r"\b(?:mine|ours)\b"), "theirs"),
    (re.compile(r"\b(?:myself|ourselves)\b"), "themselves"),
)


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text with their end marks, contractions of "to be" and "to have" written out."""
    text = text.replace("’", "'")
    for pattern, full in _CONTRACTED:
        text = pattern.sub(full, text)
    start = 0
    for end in _SENTENCE_END.finditer(text):
        last_word = text[start : end.start()].rpartition(" ")[2].casefold()
        if end[1] == "." and last_word in _ABBREVIATIONS:
            continue
        yield from _stripped(text[start : end.start()] + (end[1] or ""))
        start = end.end()
    yield from _stripped(text[start:])


def clauses(sentence: str) -> list[str]:
    """Return the parts of a sentence that each say something of their own, without end marks."""
    return [part.strip(" ,.!:") for part in _CLAUSE.split(sentence) if part.strip(" ,.!:")]


# "I work with the US ledger and prefer tables": verbs that are hardly ever anything else there.
_AND_ALSO = re.compile(r"(?<=\band )(?:prefer|want|like|manage|handle)\b", re.IGNORECASE)


def third_person(clause: str) -> str:
    """Return what a clause of the user says, as a sentence about the user."""
    match = _FIRST_PERSON.fullmatch(clause)
    if match:
        subject = "The user" if match["who"].casefold() == "i" else "The user's team"
        adverbs = " ".join(match["adverbs"].casefold().split())
        rest = (
            match["rest"] if match["no"] else _AND_ALSO.sub(lambda also: _verb(also[0], negated=False), match["rest"])
        )
        return sentence(subject, adverbs, _verb(match["verb"], negated=bool(match["no"])), _others(rest))
    possessive = re.fullmatch(r"(?:my|our)\s+(.+)", clause, re.IGNORECASE | re.DOTALL)
    if possessive:
        return sentence("The user's", _others(possessive[1]))
    return sentence(_others(clause))


def as_order(clause: str) -> str:
    """Return an instruction of the user, which begins with a verb or "always" or "never", as a sentence."""
    word, _, rest = clause.partition(" ")
    if word.casefold() == "never":
        return sentence(_ORDER, "never to", _others(rest))
    return sentence(_ORDER, "to", word.casefold(), _others(rest))


def is_order(fact: str) -> bool:
    """Return whether a fact is an instruction of the user."""
    return fact.startswith(_ORDER)


def sentence(*parts: str) -> str:
    """Join the parts to a sentence: single spaces, a capital, a full stop."""
    text = " ".join(" ".join(parts).split()).strip(" ,.!:")
    return f"{text[:1].upper()}{text[1:]}."


def _verb(verb: str, *, negated: bool) -> str:
    base = verb.casefold()
    if negated:
        return f"does not {base}"
    if base in _MODALS:
        return base
    if base in _IRREGULAR:
        return _IRREGULAR[base]
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{base}es"
    if base.endswith("y") and base[-2:-1] not in "aeiou":
        return f"{base[:-1]}ies"
    return f"{base}s"


def _others(text: str) -> str:
    for pattern, third in _PRONOUNS:
        text = pattern.sub(third, text)
    return text


def _stripped(text: str) -> Iterator[str]:
    if text.strip():
        yield text.strip()

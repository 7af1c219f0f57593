"""PINs and codes said in words, or digit by digit: "my pin is four seven one one", "code: eins zwei drei vier"."""

from __future__ import annotations

import re

from twofold.memory.secret_patterns import START, SecretPattern, pattern

_DIGITS = (
    "zero oh one two three four five six seven eight nine double triple"
    " null eins ein zwei zwo drei vier fünf fuenf sechs sieben acht neun"
    " zéro un deux trois quatre cinq sept huit neuf"
    " cero uno dos tres cuatro cinco seis siete ocho nueve"
    " due tre quattro cinque sei sette otto nove"
    " nul een twee drie zes zeven negen"
).split()
_TENS = (
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
    " twenty thirty forty fifty sixty seventy eighty ninety hundred"
    " zehn elf zwölf zwoelf dreizehn vierzehn fünfzehn fuenfzehn sechzehn siebzehn achtzehn neunzehn hundert"
).split()
_TEN = r"(?:zwanzig|drei(?:ß|ss)ig|vierzig|f(?:ü|ue)nfzig|sechzig|siebzig|achtzig|neunzig)"
_COMPOUND = rf"(?:(?:ein|zwei|drei|vier|f(?:ü|ue)nf|sechs|sieben|acht|neun)und)?{_TEN}"
_ONE = "|".join(sorted({*_DIGITS, *_TENS}, key=len, reverse=True))
_NUMBER = rf"(?:\d|{_COMPOUND}|{_ONE})(?!\w)"
_GAP = r"[\s,./\u2013-]{1,3}"

SAID = rf"{_NUMBER}(?:{_GAP}{_NUMBER}){{2,18}}|(?:{_COMPOUND}|{'|'.join(_TENS)})(?!\w)(?:{_GAP}{_NUMBER}){{1,18}}"
"""Three numbers or more, said one after the other, or two of which the first has two digits."""

_IS = r"[\\\"'`*]{0,4}[\s:=,\u2013-]{1,4}(?:(?:is|was|are|ist|war|lautet|sind|est|es|è)\s?[:=]?\s{0,2})?[\\\"'`*]{0,4}"
# A word before "code" that makes it one to log in with, and not of a company, a cost centre or a tax.
_WHOSE = frozenset(
    "my your his her our the a this that one-time access login log-in sign-in sms text security secret verification"
    " confirmation authentication auth 2fa mfa tan door and is mein meine dein ihr ihren der den das ein code:"
    " sicherheits zugangs bestätigungs mon ma votre le mi tu su el il mio de".split()
)


def spoken(names: str, *, least: int = 0) -> SecretPattern:
    """Return the pattern of a name and the numbers said after it; `least` is how many more than three must be."""
    said = SAID if not least else rf"{_NUMBER}(?:{_GAP}{_NUMBER}){{{2 + least},18}}"
    return pattern(rf"(?i){START}(?:{names}){_IS}(?P<secret>{said})(?!\w)")


def spoken_code() -> SecretPattern:
    """Return the pattern of "code" by itself, or of somebody's, and the numbers said after it."""
    return pattern(rf"(?i){START}(?:\w{{0,20}}code|kode){_IS}(?P<secret>{SAID})(?!\w)", _is_to_log_in)


def said_before(names: str, *, digits: bool = True) -> SecretPattern:
    """Return the pattern of a number followed by what it is: "4711 is my pin", "four seven one one ist meine PIN"."""
    number = rf"\d{{4,8}}|{SAID}" if digits else SAID
    return pattern(
        rf"(?i){START}(?P<secret>{number})\s(?:is|was|ist|war)\s(?:my|the|your|meine?|die|der)\s(?:{names})(?!\w)",
        needs=("is my", "is the", "is your", "was my", "was the", "ist mein", "ist die", "ist der"),
    )


def _is_to_log_in(found: re.Match[str]) -> bool:
    before = re.findall(r"[^\s(\"']+", found.string[max(0, found.start() - 40) : found.start()])
    glued = found[0].lower().partition("code")[0]
    if glued:
        return glued in _WHOSE
    return not before or before[-1].lower() in _WHOSE or not before[-1][-1].isalnum()

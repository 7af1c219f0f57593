"""The exact identifiers of a text, which are searched by token because similarity blurs them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import normalize

_TOKEN = re.compile(r"\w(?:[\w.,/-]{0,126}\w)?")
_AMOUNT = re.compile(r"\d{1,3}(?:[.,]\d{3})*(?:[.,]\d+)?")
_LIST = re.compile(r"[,/]+")
_JOINT = re.compile(r"[\W_]+")
_SHORTEST_PART = 4


def identifiers(text: str) -> frozenset[str]:
    """Return the identifiers in `text`, case-folded: `1000`, `us_primary`, `11-25`, `fb60`, `gl`.

    An identifier has a digit or an underscore, or is two or more capitals. Its parts of four or more
    characters with a digit count too, so that `90012345` finds `INV-90012345`; shorter numbers do not, as
    they would make `11-25` and `11-26` alike. (PostgreSQL's own parser takes `-90012345` from the first and
    halves `US_PRIMARY`.)
    """
    found: set[str] = set()
    for token in _TOKEN.findall(normalize("NFKC", text)):
        found.update(candidate.casefold() for candidate in _candidates(token) if _is_identifier(candidate))
    return frozenset(found)


def _candidates(token: str) -> Iterator[str]:
    """Yield a token as it stands, the members of a list like `FB60/FB50`, and the longer parts."""
    yield token
    if _AMOUNT.fullmatch(token):
        return
    yield from (name for name in _LIST.split(token) if len(name) >= _SHORTEST_PART or not name.isdigit())
    yield from (part for part in _JOINT.split(token) if len(part) >= _SHORTEST_PART and _has_digit(part))


def _is_identifier(token: str) -> bool:
    return "_" in token or _has_digit(token) or (len(token) > 1 and token.isalpha() and token.isupper())


def _has_digit(token: str) -> bool:
    return any(character.isdigit() for character in token)

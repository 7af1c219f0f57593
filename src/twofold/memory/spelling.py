"""One spelling for what people write in several: dashes, ranges, numbers with units, and grouped digits."""

from __future__ import annotations

import re
from decimal import Decimal
from unicodedata import normalize

_DASHES = re.compile("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")
_RANGE = re.compile(r"(?<=\d)(?:\s*-\s*|\s+(?:to|through|thru|until|till|bis|à|au|jusqu'à|al?|hasta)\s+)(?=\d)")
_UNITS = r"eur|euros?|usd|gbp|chf|jpy|cad|aud|k|m|mio|tsd|h|d|days?|weeks?|months?|years?|percent|pct|%|€|\$|£|¥"
_UNIT_BEHIND = re.compile(rf"(?<=\d)(?=(?:{_UNITS})(?!\w))", re.IGNORECASE)
_UNIT_AHEAD = re.compile(r"(?<!\w)(eur|usd|gbp|chf|jpy|cad|aud)(?=\d)", re.IGNORECASE)
_GROUPED = re.compile(r"(?<=\d)[.,'\u2019 ](?=\d{3}(?!\d))")
_DECIMAL = re.compile(r"(?<![\d.,])(\d+)[.,](\d{1,2})(?![\d.,]*\d)")
_ZEROS = re.compile(r"(?<=\d)\.00?(?!\d)")
_SCALED = re.compile(
    r"(?<![\w.,])(\d{1,9}(?:\.\d{1,2})?) ?"
    r"(?:(k|tsd|thousand|tausend|mille|mil)|(m|mio|mln|million(?:en|s)?|millones|millón))(?!\w)",
    re.IGNORECASE,
)


def plain_dashes(text: str) -> str:
    """Return `text` in its compatibility form (NFKC), with every dash as `-`."""
    return _DASHES.sub("-", normalize("NFKC", text))


def without_groups(text: str) -> str:
    """Return `text` without what groups the digits of its numbers: `10,000` is `10000`."""
    return _GROUPED.sub("", text)


def with_ranges(text: str) -> str:
    """Return `text` with its ranges as `13-16`, also from `13 to 16`."""
    return _RANGE.sub("-", text)


def with_numbers(text: str) -> str:
    """Return `text` with each number as its digits: `1.500,00`, `1,500.00` and `1.5k` as `1500`, off its unit."""
    text = _DECIMAL.sub(r"\1.\2", without_groups(text))
    text = _ZEROS.sub("", _UNIT_AHEAD.sub(r"\1 ", text))
    return _UNIT_BEHIND.sub(" ", _SCALED.sub(_scaled, text))


def _scaled(found: re.Match[str]) -> str:
    number = Decimal(found[1]) * (1_000 if found[2] else 1_000_000)
    return f"{number:f}" if number % 1 else str(int(number))

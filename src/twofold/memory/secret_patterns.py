"""What the patterns of secrets are built from.

Every repetition is bounded or of single characters. A secret takes the rest of its last word with it: what is left
of a word right behind a placeholder would be looked at anew, so that words glued together cost a search each.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

START = r"(?<![^\W_])"
"""Not inside a word; an underscore may stand before."""
NEW = r"(?:(?!\[redacted: )\S)"
"""One character of a secret: never one of a placeholder that stands there already."""
_VERB = r"\b(?:is|was|are|ist|lautet|est|es)\b(?:\s{0,2}[:=])?"
IS = rf"[\\\"'`*]{{0,4}}\s{{0,3}}(?::=|=>|->|→|[:=]|{_VERB})\s{{0,3}}[\\\"'`*]{{0,4}}"
"""Between a name and its value, in prose, settings and JSON."""
WORD = rf"{NEW}{{1,200}}(?<![.,;:)\]\}}\"'`\\])\w*"
"""A value up to the next space, without the punctuation after it."""
MIXED = rf"(?=\S{{0,80}}[A-Za-z])(?=\S{{0,80}}\d)(?=\S{{5}}){WORD}"
"""A value with a letter and a digit."""
LINE = r"(?:(?!\[redacted: )[^\n]){1,400}\w*"
"""A value up to the end of the line."""
QUOTED = r"(?<=[\"'`])(?:(?!\[redacted: )[^\"'`\\\n]){1,200}(?=\\?[\"'`\n]|\Z)"
"""A value between quotes, spaces included; the second quote may be cut off."""

_SHORTEST_WITH_DIGIT, _SHORTEST, _SHORTEST_OPAQUE = 6, 20, 16
_NO_VALUE = frozenset(
    "a about accepted all already also always an and any are as asked at be because been begin being"
    " blank by case-sensitive changed continue correct created defined different disabled empty enabled"
    " encrypted enough entered exactly expired expires expiring false finish for from generated given"
    " going good hashed her here hidden his how if in incorrect invalid it its just kept known locked"
    " longer managed mandatory masked missing must my n/a needed never new no none not now null of off"
    " ok okay old on only optional or our out part proceed protected provided rejected required reset"
    " rotated safe same saved secure sent set so start still stored strong than that the their there"
    " this to too true unchanged undefined unknown unset updated used valid visible weak what when where"
    " which who with wrong yes you your".split()
)


def _always(_found: re.Match[str]) -> bool:
    return True


def is_value(found: re.Match[str]) -> bool:
    """Whether it is neither a word that often follows "the password is" nor masked already."""
    secret = found["secret"].strip(".,;:!?()[]{}*•…-\\\"'`").lower()
    return bool(secret) and secret not in _NO_VALUE


def is_random(found: re.Match[str]) -> bool:
    """Whether it looks made by a machine: long, or with a digit; not `token: expired` or `secret: yes`."""
    secret = found["secret"]
    shortest = _SHORTEST_WITH_DIGIT if any(character.isdigit() for character in secret) else _SHORTEST
    return is_value(found) and len(secret) >= shortest


def is_opaque(found: re.Match[str]) -> bool:
    """Whether it has letters and digits and is long, as no number of a document or name of a page is."""
    secret = found["secret"]
    return len(secret) >= _SHORTEST_OPAQUE and re.search("[A-Za-z]", secret) is not None and is_random(found)


@dataclass(frozen=True, slots=True)
class SecretPattern:
    """A pattern whose group `secret` is replaced where `holds` agrees.

    Only a text that has one of `needs`, in lower case, is searched, if given: most texts hold no secret.
    """

    regex: re.Pattern[str]
    holds: Callable[[re.Match[str]], bool] = _always
    needs: tuple[str, ...] = ()

    def told(self, found: re.Match[str]) -> tuple[int, int]:
        """Return where a secret stands with what names it: group `whole`, or all that was matched."""
        return found.span("whole" if "whole" in self.regex.groupindex else 0)


def pattern(
    regex: str, holds: Callable[[re.Match[str]], bool] = _always, *, needs: tuple[str, ...] = ()
) -> SecretPattern:
    """Return a pattern; `regex` has a group `secret`, and may have one `whole` around it."""
    return SecretPattern(re.compile(regex), holds, needs)


def marked(regex: str, *, needs: tuple[str, ...] = ()) -> SecretPattern:
    """Return the pattern of a secret that is told by its own form, such as a vendor's prefix."""
    return pattern(rf"{START}(?P<secret>(?:{regex})\w*)", needs=needs)


def parameter(names: str, holds: Callable[[re.Match[str]], bool] = is_value) -> SecretPattern:
    """Return the pattern of a parameter in an address: `?access_token=…`, `&sig=…`."""
    return pattern(rf"(?i)[?&;#](?P<whole>(?:{names})=(?P<secret>[^\s&;#\"'<>`\[\]]{{4,2000}}))", holds, needs=("=",))


def beside(names: str) -> SecretPattern:
    """Return the pattern of a name and, without any verb, what is quoted or has letters and digits after it."""
    return pattern(rf"(?i){START}(?:{names})\s{{1,3}}(?:(?:of|as)\s)?[\"'`(]?(?P<secret>{QUOTED}|{MIXED})", is_value)


def named(names: str, value: str, holds: Callable[[re.Match[str]], bool] = is_value) -> SecretPattern:
    """Return the pattern of a name, "is", ":" or "=", and what stands in quotes after it, else `value`."""
    return pattern(rf"(?i){START}(?:{names}){IS}(?P<secret>{QUOTED}|{value})", holds)

"""What back-office facts are about: a ledger, a company, a currency. One row a slot."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from twofold.models.grammar import is_order

Slot: TypeAlias = str

# What a user may have several of is replaced only by an explicit correction, the rest by any new statement.
Number: TypeAlias = Literal["one", "several"]

_IDENTIFIER = r"(?-i:(?=[\w./-]*[A-Z0-9])[A-Z0-9][\w./-]*[\w]|[A-Z0-9])"
# A list goes on after these: "company 1000 and the corporate asset book" names two things.
_WORD = r"(?!(?:and|or|the|our|my|for|with)\b)[\w&.'/-]+"
_NAME = rf"{_WORD}(?:\s+{_WORD}){{0,4}}?"
_VERB = (
    r"(?:uses?|using|works? (?:with|in|on|for)|working (?:with|in|on|for)|takes?|to|prefers?|is|are|with|from|not|of)"
)
_NO_VALUE = frozenset(
    "a all an another any both correct default different each every following general it its last main my new next no"
    " old one other our own previous right same some sub that the their them these this those usual what which wrong"
    " your".split()
)


@dataclass(frozen=True, slots=True)
class SlotKind:
    """A slot: the nouns that name it, how a fact about it reads, and whether a user has one or several."""

    name: Slot
    noun: str
    told: str
    number: Number
    also: str = ""


SLOTS = (
    SlotKind("ledger", r"ledger", "The user works with the {value} {noun}.", "several"),
    SlotKind(
        "company", r"company code|company|legal entity", "The user works with {noun} {value}.", "several"
    ),
    SlotKind(
        "asset book", r"asset book|depreciation book", "The user works with the {value} {noun}.", "several"
    ),
    SlotKind("cost center", r"cost cent(?:er|re)", "The user works with {noun} {value}.", "several"),
    SlotKind(
        "currency", r"reporting currency|currency", "The user's {noun} is {value}.", "one",
        also=r"\b(?:amounts|figures|values|reports?) in (?!pdf|csv|xls)(?-i:[A-Z]{3})\b",
    ),
    SlotKind("fiscal year", r"fiscal year|financial year", "The user's {noun} is {value}.", "one"),
    SlotKind("approver", r"approver", "The user's {noun} is {value}.", "one"),
    SlotKind(
        "report format", r"report format", "The user's {noun} is {value}.", "one",
        also=r"\breport\w*\b.*\b(?:pdf|excel|xlsx?|csv|word|docx|html|powerpoint|pptx)\b"
        r"|\b(?:pdf|excel|xlsx?|csv|word|docx|html|powerpoint|pptx) (?:reports?|files?)\b",
    ),
    SlotKind(
        "report style", r"report(?:ing)? style", "The user's {noun} is {value}.", "one",
        also=r"\b(?:short|brief|concise|compact|detailed|long|summary) (?:\w+ )?(?:reports?|answers?|summaries)\b"
        r"|\b(?:reports?|answers?)\b.* (?:short|brief|concise|compact|detailed)\b",
    ),
    SlotKind(
        "period", r"(?:reporting |accounting |closing )?(?:period|periodicity)", "The user's {noun} is {value}.", "one",
        also=r"\b(?:clos|report)\w* (?:the books )?(?:monthly|quarterly|weekly|yearly|annually)\b",
    ),
    SlotKind(
        "closing day", r"closing (?:day|date)", "The user's {noun} is {value}.", "one",
        also=r"\bclos\w* (?:the books )?(?:on|by) (?:the )?.*\b(?:day|friday|monday|tuesday|wednesday|thursday)\b",
    ),
)  # fmt: skip
_TOLD_BY_VALUE = {"approver", "currency", "period", "report format", "report style"}
_BY_NAME = {slot.name: slot for slot in SLOTS}


@dataclass(frozen=True, slots=True)
class Filled:
    """A slot with its value, as the user wrote it, and the fact that says so."""

    slot: Slot
    value: str
    text: str


def filled(clause: str) -> list[Filled]:
    """Return the slots that `clause` gives a value: "my ledger is X", "use the X ledger for company 1010"."""
    return [found for kind in SLOTS if (found := _filled(kind, clause)) is not None]


def slot_of(text: str) -> Slot | None:
    """Return what a fact or a sentence is about, None where it is about nothing known or about two things.

    "The user's manager is Ben" is about `manager`, so that a new manager replaces the old one.
    """
    about = [kind.name for kind in SLOTS if re.search(_mention(kind), text, re.IGNORECASE)]
    if len(about) > 1:
        return None
    subject = re.match(r"(?:the user's|my|our) (?P<noun>[\w ]{2,40}?) (?:is|are)\b", text, re.IGNORECASE)
    return about[0] if about else subject["noun"].casefold() if subject else None


def holds_value(fact: str, value: str) -> bool:
    """Return whether a fact gives a slot this value, so that a correction of the value is one of the fact.

    A value that merely occurs does not count: "not March but April" says nothing of the fiscal year.
    """
    if value.casefold() in {each.value.casefold() for each in filled(fact)}:
        return not is_order(fact)
    return slot_of(fact) in _TOLD_BY_VALUE and whole_words(value).search(fact) is not None


def whole_words(value: str) -> re.Pattern[str]:
    """Return the pattern of `value` as a whole: 1000 is not in 10000."""
    return re.compile(rf"(?<!\w){re.escape(value)}(?!\w)", re.IGNORECASE)


def has_several(slot: Slot) -> bool:
    """Return whether a user may have several values of a slot at the same time."""
    kind = _BY_NAME.get(slot)
    return kind is not None and kind.number == "several"


def _filled(kind: SlotKind, clause: str) -> Filled | None:
    for pattern in _patterns(kind):
        found = re.search(pattern, clause, re.IGNORECASE)
        value = _value(found["value"]) if found else ""
        if found and value:
            return Filled(kind.name, value, _told(kind, value, found["noun"]))
    return None


def _patterns(kind: SlotKind) -> tuple[str, ...]:
    noun = rf"(?P<noun>{kind.noun})"
    return (
        rf"\b(?:my|our|the user's)\s+(?:\w+\s+)?{noun}\s+(?:is|are|=|:)\s+(?:now\s+)?(?P<value>.+)",
        rf"\b{noun}\s+(?:number\s+|no\.?\s+)?(?P<value>{_IDENTIFIER})(?!\w)",
        rf"(?:\b{_VERB}\s+|\band\s+|,\s*)(?:the\s+|our\s+|my\s+)?(?P<value>{_NAME})\s+{noun}\b",
        rf"^(?:the\s+)?(?P<value>{_NAME})\s+{noun}\b",
    )


def _mention(kind: SlotKind) -> str:
    nouns = rf"\b(?:{kind.noun})s?\b"
    return rf"{nouns}|{kind.also}" if kind.also else nouns


def _value(text: str) -> str:
    value = re.sub(r"^(?:the|now)\s+", "", text.strip(" ,.!:'\""), flags=re.IGNORECASE)
    return "" if value.casefold() in _NO_VALUE or value.split()[0].casefold() in _NO_VALUE else value


def _told(kind: SlotKind, value: str, noun: str) -> str:
    named = re.fullmatch(rf"(?P<value>.+?)\s+(?P<noun>{kind.noun})", value, re.IGNORECASE)
    if named:  # "my ledger is the US Primary Ledger"
        value, noun = named["value"], named["noun"]
    return kind.told.format(value=value, noun=noun)

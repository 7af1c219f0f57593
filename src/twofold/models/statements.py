"""What a sentence of the user says that lasts: a fact, a correction, or something to forget. English only."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from twofold.memory.redaction import DEFAULT, KEPT, Redactor
from twofold.models import phrases
from twofold.models.grammar import as_order, clauses, third_person
from twofold.models.slots import Slot, filled, slot_of

_LONGEST = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One thing that lasts.

    * say: the fact `text`
    * correct: `new` holds in place of `old`, or of what fills `slot`; `text` says so on its own, if it can
    * forget: what `old` names no longer holds
    """

    action: Literal["say", "correct", "forget"]
    text: str = ""
    slot: Slot | None = None
    old: str = ""
    new: str = ""


Rule: TypeAlias = Callable[[str], "list[Statement] | None"]


def statements(sentence: str, redactor: Redactor = DEFAULT) -> list[Statement]:
    """Return what lasts of a sentence; nothing of questions, one-time requests, suppositions and secrets.

    What `redactor` keeps, though by default it is redacted, is no secret.
    Nor of one with more than 400 characters: that is pasted text, on which the phrases would take long.
    """
    if len(sentence) > _LONGEST:
        return []
    asked = sentence.endswith("?") or phrases.QUESTION.match(sentence)
    supposed = phrases.SUPPOSED.match(_without(phrases.LEAD, sentence))
    if asked or supposed or phrases.PASSING.search(sentence):
        return []
    if _is_secret(sentence, redactor):
        return []
    return [each for clause in clauses(sentence) for each in _said(clause)]


def _is_secret(sentence: str, redactor: Redactor) -> bool:
    if redactor.text(sentence) != sentence:
        return True
    # The words that name a secret tell of one, unless they name what is kept.
    named = Redactor(dropped=redactor.kept - KEPT).text(sentence)
    return phrases.SECRET.search(named) is not None


def _said(clause: str) -> list[Statement]:
    clause = _without(phrases.LEAD, clause)
    correcting = phrases.CORRECTING.match(clause)
    clause = clause[correcting.end() :] if correcting else clause
    standing = phrases.STANDING.match(clause)
    clause = clause[standing.end() :] if standing else clause
    found = _first(clause, _RULES)
    if found is None and (correcting or standing):
        found = _first(clause, (_corrected, _ordered) if standing else (_corrected,))
    if found and (correcting or standing):
        return [replace(each, action="correct") if each.action == "say" and each.slot else each for each in found]
    return found or []


def _without(lead: re.Pattern[str], text: str) -> str:
    found = lead.match(text)
    return text[found.end() :] if found else text


def _first(clause: str, rules: tuple[Rule, ...]) -> list[Statement] | None:
    return next((found for rule in rules if (found := rule(clause)) is not None), None)


def _forgotten(clause: str) -> list[Statement] | None:
    found = phrases.FORGET.fullmatch(clause) or phrases.NO_LONGER.fullmatch(clause)
    if found is None:
        return None
    old = next(filter(None, found.groupdict().values()), "")
    if phrases.NOTHING.fullmatch(old):
        return []  # "forget everything" is the user-facing act, not a correction of one fact
    return [Statement(action="forget", old=old, slot=slot_of(old))]


def _replaced(clause: str) -> list[Statement] | None:
    for pattern in (phrases.NOT_BUT, phrases.INSTEAD_OF, phrases.SWITCH, phrases.USE_INSTEAD):
        found = pattern.fullmatch(clause)
        if found:
            return [_correction(found["new"], found.groupdict().get("old") or "")]
    return None


def _corrected(clause: str) -> list[Statement] | None:
    found = phrases.USE.fullmatch(clause)
    return [_correction(found["new"])] if found else None


def _correction(new: str, old: str = "") -> Statement:
    named = filled(new)
    if len(named) == 1:
        return Statement(action="correct", text=named[0].text, slot=named[0].slot, old=old, new=new)
    return Statement(action="correct", slot=slot_of(f"{old} {new}"), old=old, new=new)


def _ordered_always(clause: str) -> list[Statement] | None:
    found = phrases.ORDER.fullmatch(clause)
    if found:
        return [_say(as_order(found["what"]))]
    found = phrases.NEVER_EVER.fullmatch(clause)
    return [_say(as_order(f"never {found['what']}"))] if found else None


def _ordered(clause: str) -> list[Statement] | None:
    first_person = phrases.FIRST_PERSON.match(clause)
    return None if first_person else [_say(as_order(clause.removeprefix("please ")))]


def _remembered(clause: str) -> list[Statement] | None:
    found = phrases.REMEMBER.fullmatch(clause)
    if found is None:
        return None
    what = found["what"]
    if phrases.NOTHING.fullmatch(what) or phrases.SUPPOSED.match(what):
        return []
    if found["to"]:
        return [_say(as_order(what))]
    return _first(what, _RULES) or [_say(third_person(what))]


def _mine(clause: str) -> list[Statement] | None:
    turned = phrases.CHANGE.fullmatch(clause) or phrases.IS_MY.fullmatch(clause)
    if turned:
        clause = f"my {turned['noun']} is {turned['value']}"
    found = phrases.MINE.fullmatch(clause)
    if found is None:
        return None
    if phrases.NO_NOUN.fullmatch(found["noun"]) or phrases.STATE.fullmatch(found["value"]):
        return []
    named = filled(clause)
    if len(named) == 1:
        return [Statement(action="correct", text=named[0].text, slot=named[0].slot, new=named[0].value)]
    return [_say(third_person(clause))]


def _lasting(clause: str) -> list[Statement] | None:
    if not (phrases.LASTING.fullmatch(clause) or phrases.HABIT.fullmatch(clause)):
        return None
    if phrases.POINTING.fullmatch(clause):
        return []
    named = filled(clause)
    if len(named) > 1 and " for " not in clause:  # one subject per fact, so that each can be corrected alone
        return [Statement(action="say", text=each.text, slot=each.slot, new=each.value) for each in named]
    return [_say(third_person(clause))]


def _say(text: str) -> Statement:
    return Statement(action="say", text=text, slot=slot_of(text))


_RULES: tuple[Rule, ...] = (
    _forgotten,
    _replaced,
    _remembered,
    _ordered_always,
    _mine,
    _lasting,
)

"""Facts and words without a chat model: plain English rules, which say what they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from twofold.memory.keys import fingerprint
from twofold.memory.memories import FactChange, Memory
from twofold.memory.redaction import DEFAULT, Redactor
from twofold.memory.steps import Episode, EpisodeWords, Turn
from twofold.memory.words import plain_words
from twofold.models.draft import Draft
from twofold.models.grammar import is_order, sentences
from twofold.models.slots import Slot, filled, has_several, holds_value, slot_of, whole_words
from twofold.models.statements import Statement, statements

NAME = "offline rules"

# Beyond these a text is pasted, and the rules would take long.
_LONGEST_TURN = 24_000
_LONGEST_SPOKEN = 2_000

_NAME_LIKE = re.compile(r"[A-Z0-9]")
_WORD = re.compile(r"[\w./-]*\w")
# Words of "forget that I prefer PDF" or "I no longer use US Primary" that name nothing.
_FILLERS = frozenset(
    "a about am an and any are as at be do for from have i in is it like me my need of on our please prefer set that"
    " the their this to use user users using want was we with work works".split()
)


class OfflineFactExtractor:
    """Takes facts from explicit English statements, by rules; it understands nothing beyond them.

    Finds preferences, instructions, responsibilities and the usual slots (ledger, company, asset book, cost
    center, currency, fiscal year, approver, report format and style, period), their corrections and "forget
    that …". Questions, one-time requests, agent text and secrets are no facts.
    """

    def __init__(self, redactor: Redactor = DEFAULT) -> None:
        """Take what tells a secret: a sentence that holds one is no fact."""
        self._redactor = redactor

    @property
    def name(self) -> str:
        """`offline rules`."""
        return NAME

    async def extract(self, turns: Sequence[Turn], known: Sequence[Memory]) -> Sequence[FactChange]:
        """Return the changes to `known` that the user's new turns state."""
        draft = Draft(known)
        spoken_of = ""
        for turn in turns:
            if turn.role == "user" and not turn.context:
                _Reader(draft, turn.event_id, spoken_of, self._redactor).read(turn.text[:_LONGEST_TURN])
            spoken_of = turn.text[:_LONGEST_SPOKEN]
        return draft.changes()


class OfflineNarrator:
    """Words an episode from its steps alone."""

    @property
    def name(self) -> str:
        """`offline rules`."""
        return NAME

    async def tell(self, episode: Episode) -> EpisodeWords:
        """Return the plain words: the request, the outcome with its counts, the last failure."""
        return plain_words(episode)


class _Reader:
    """Reads one turn into the draft; `spoken_of` is the turn before, which a correction may refer to."""

    def __init__(self, draft: Draft, event_id: str, spoken_of: str, redactor: Redactor) -> None:
        self._draft = draft
        self._redactor = redactor
        self._events = (event_id,)
        self._spoken_of = spoken_of

    def read(self, text: str) -> None:
        for sentence in sentences(text):
            dropped: list[tuple[str, str]] = []
            for statement in statements(sentence, self._redactor):
                if statement.action == "forget":
                    dropped += self._forget(statement)
                elif not self._instead_of(dropped, statement):
                    self._take(statement)

    def _forget(self, statement: Statement) -> list[tuple[str, str]]:
        matching = list(_named(self._draft, statement.old))
        for handle, _ in matching:
            self._draft.delete(handle, self._events)
        return matching

    def _instead_of(self, dropped: list[tuple[str, str]], statement: Statement) -> bool:
        """Make "I no longer use X, I use Y" an update of X."""
        for handle, text in dropped:
            if statement.text and statement.slot == slot_of(text):
                self._draft.update(handle, _in_place(text, statement.slot, statement.text), self._events)
                dropped.clear()
                return True
        return False

    def _take(self, statement: Statement) -> None:
        if statement.action == "correct" and statement.old and self._rewrite(statement):
            return
        slot = statement.slot
        if slot is None and not (statement.text or statement.old) and _NAME_LIKE.search(statement.new):
            slot = slot_of(self._spoken_of)  # "No, use EU_PRIMARY" after "I will use the US_PRIMARY ledger"
        text = statement.text or _slot_text(slot, statement.new)
        if not text:
            return
        replaced = self._replaced_by(statement, slot, text)
        if replaced is None:
            self._draft.add(text, self._events)
        else:
            self._draft.update(replaced[0], _in_place(replaced[1], slot, text), self._events)

    def _rewrite(self, statement: Statement) -> bool:
        """Put the new value where a known fact names the old one."""
        old, new = (_bare(each) for each in (statement.old, statement.new))
        hits = [(handle, text) for handle, text in self._draft.facts() if holds_value(text, old)]
        for handle, text in hits:
            self._draft.update(handle, whole_words(old).sub(lambda _: new, text), self._events)
        return bool(hits)

    def _replaced_by(self, statement: Statement, slot: Slot | None, text: str) -> tuple[str, str] | None:
        """Return the known fact that `text` replaces: of the same slot, and not one of several."""
        facts = list(self._draft.facts())
        same = [
            fact
            for fact in facts
            # "Never post to company 1000" is no statement of which company the user works with.
            if slot is not None and slot_of(fact[1]) == slot and is_order(fact[1]) == is_order(text)
        ]
        restated = any(fingerprint(known) == fingerprint(text) for _, known in facts)
        if not same or restated or slot is None:
            return None
        if not has_several(slot) or len(same) == 1:
            return same[0] if statement.action == "correct" or not has_several(slot) else None
        meant = [fact for fact in same if _value(fact[1], slot) and _value(fact[1], slot) in self._spoken_of]
        return (meant or same)[0] if statement.action == "correct" else None


def _named(draft: Draft, what: str) -> Iterator[tuple[str, str]]:
    """Yield the facts that hold every telling word of `what`."""
    wanted = _stems(what)
    for handle, text in list(draft.facts()):
        if wanted and wanted <= _stems(text):
            yield handle, text


def _stems(text: str) -> set[str]:
    words = {"US" if word == "US" else word.casefold() for word in _WORD.findall(text)}
    return {word.removesuffix("s") for word in words if word not in _FILLERS}


def _bare(words: str) -> str:
    """Return the value alone: "US Primary" of "the US Primary Ledger"."""
    named = filled(words)
    return named[0].value if len(named) == 1 else re.sub(r"^(?:the|a|an)\s+", "", words.strip(), flags=re.IGNORECASE)


def _slot_text(slot: Slot | None, value: str) -> str:
    named = filled(f"my {slot} is {value}") if slot else []
    return named[0].text if len(named) == 1 else ""


def _in_place(known: str, slot: Slot | None, text: str) -> str:
    """Return the known fact with the new value in it, so that what else it says is kept."""
    old, new = (_value(each, slot) for each in (known, text))
    return known.replace(old, new) if old and new else text


def _value(text: str, slot: Slot | None) -> str:
    return next((each.value for each in filled(text) if each.slot == slot), "")

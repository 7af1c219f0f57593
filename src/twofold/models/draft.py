"""The known facts of one person, as they stand while a conversation is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from twofold.memory.keys import fingerprint
from twofold.memory.memories import FactChange, Memory


@dataclass(slots=True, kw_only=True)
class _Fact:
    key: str | None
    text: str
    before: str = ""
    deleted: bool = False
    event_ids: dict[str, None] = field(default_factory=dict)


class Draft:
    """Known facts under short handles (`m1`, `m2`, …), and what a reader has changed so far.

    Two changes of one fact become one; a fact that was added and dropped again leaves nothing.
    """

    def __init__(self, known: Sequence[Memory]) -> None:
        """Start from what is known, in order."""
        self._facts: dict[str, _Fact] = {}
        for memory in known:
            self._file(_Fact(key=memory.key, text=memory.text, before=memory.text))

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield handle and text of each fact that stands."""
        for handle, fact in self._facts.items():
            if not fact.deleted:
                yield handle, fact.text

    def add(self, text: str, event_ids: Sequence[str]) -> str:
        """Add a fact and return its handle; a text added before only gains sources."""
        for handle, fact in self._facts.items():
            same = fact.key is None and not fact.deleted and fingerprint(fact.text) == fingerprint(text)
            if same:
                fact.event_ids.update(dict.fromkeys(event_ids))
                return handle
        return self._file(_Fact(key=None, text=text, event_ids=dict.fromkeys(event_ids)))

    def update(self, handle: str, text: str, event_ids: Sequence[str]) -> None:
        """Replace the text of a fact, also of one that was dropped."""
        fact = self._facts[handle]
        fact.text = text
        fact.deleted = False
        fact.event_ids.update(dict.fromkeys(event_ids))

    def delete(self, handle: str, event_ids: Sequence[str]) -> None:
        """Drop a fact."""
        fact = self._facts[handle]
        fact.deleted = True
        fact.event_ids.update(dict.fromkeys(event_ids))

    def changes(self) -> tuple[FactChange, ...]:
        """Return what differs from what was known."""
        return tuple(change for fact in self._facts.values() if (change := _change(fact)) is not None)

    def _file(self, fact: _Fact) -> str:
        handle = f"m{len(self._facts) + 1}"
        self._facts[handle] = fact
        return handle


def _change(fact: _Fact) -> FactChange | None:
    events = tuple(fact.event_ids)
    if fact.key is None:
        return None if fact.deleted else FactChange(action="ADD", text=fact.text, event_ids=events)
    if fact.deleted:
        return FactChange(action="DELETE", key=fact.key, event_ids=events)
    if fact.text != fact.before:
        return FactChange(action="UPDATE", text=fact.text, key=fact.key, event_ids=events)
    return None

"""Secrets removed before any model, row, checkpoint or log sees them.

What counts as one is the table in `secret_kinds.py`; what is done about each kind is a policy. A placeholder names
the kind, so that a reader still knows that there was, say, a password. Redacting twice changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Literal, TypeAlias, get_args

from twofold.memory.cards import is_lone_card, names_a_card, speaks_of_cards
from twofold.memory.clean import clean_json
from twofold.memory.errors import SettingsInvalid
from twofold.memory.jsontypes import Json
from twofold.memory.secret_keys import is_secret, kinds_of_key
from twofold.memory.secret_kind import SecretKind
from twofold.memory.secret_kinds import SECRET_KINDS
from twofold.memory.secret_search import DROPPED, Replacing, blanked, placeholder, replaced
from twofold.memory.transcript import Entry

Action: TypeAlias = Literal["keep", "mask", "drop"]

ACTIONS: tuple[str, ...] = get_args(Action)
KINDS = tuple(dict.fromkeys(kind.name for kind in SECRET_KINDS))
"""The name of each kind, as a policy and a placeholder have it."""

_PAIR_NAMES = ("name", "key", "field", "header")
# Whose value is what somebody said: nothing but a card number is one here, and elsewhere may be a document's.
_SAID = frozenset("text query content message input prompt answer".split())
# Of a key as JSON (RFC 7518), told by its "kty".
_PRIVATE_PARTS = frozenset("d p q dp dq qi k".split())
CARD = "card number"
KEPT = frozenset(kind.name for kind in SECRET_KINDS if kind.kept)
"""The kinds that stay unless a policy says otherwise."""
_ROUNDS = 6


@dataclass(frozen=True, slots=True)
class Redactor:
    """What is done about each kind of secret: those `kept` stay, those `dropped` vanish, others get a placeholder.

    To drop a secret is to take away what names it as well: of `my pin is 4711` stays `my `, of `{"pin": 4711, "a": 1}`
    stays `{"a": 1}`, and what is nothing but a secret becomes an empty text. Every method may be applied again to
    what it returned, and changes nothing then.
    """

    kept: frozenset[str] = KEPT
    dropped: frozenset[str] = frozenset()

    @classmethod
    def of(cls, policy: Mapping[str, str]) -> Redactor:
        """Return the redactor of a policy, `{kind: "keep" | "mask" | "drop"}`; other kinds are as by default.

        Raises SettingsInvalid for a kind or an action that is unknown: a misspelt one must not leave secrets in.
        """
        for kind, action in policy.items():
            if kind not in KINDS:
                near = get_close_matches(kind, KINDS, n=1)
                meant = f" (did you mean {near[0]!r}?)" if near else ""
                raise SettingsInvalid(f"there is no kind of secret {kind!r:.60}{meant}; kinds are {', '.join(KINDS)}")
            if action not in ACTIONS:
                raise SettingsInvalid(f"{kind!r} is to be one of {', '.join(ACTIONS)}, not {action!r:.60}")
        asked = {action: {kind for kind in policy if policy[kind] == action} for action in ACTIONS}
        kept = KEPT - asked["mask"] - asked["drop"] | asked["keep"]
        return cls(kept=kept, dropped=frozenset(asked["drop"]))

    def text(self, text: str) -> str:
        """Return what somebody said without secrets; JSON text is searched by its keys as well."""
        return self._searched(text, said=True)

    def json(self, value: Json) -> Json:
        """Return `value` without secrets, told by their key, a name beside them, or their text.

        The second is the form `{"name": "password", "value": …}` of headers and parameters.
        """
        return self._value(value, near_card=False)

    def entries(self, entries: Iterable[Entry]) -> tuple[Entry, ...]:
        """Return the entries without secrets in texts, arguments, responses, answers and errors."""
        return tuple(
            replace(
                entry,
                text=self.text(entry.text),
                payload=self.json(entry.payload),
                error=self.text(entry.error),
            )
            for entry in entries
        )

    def _searched(self, text: str, *, said: bool) -> str:
        # Another round, since what stands right behind a secret may be told from it only when that is replaced.
        for replacing in (*[replaced] * _ROUNDS, *[blanked] * _ROUNDS):
            redacted = self._once(text, replacing, said=said)
            if redacted == text and self.dropped:
                redacted = text.replace(DROPPED, "")
            if redacted == text:
                return text
            text = redacted
        return placeholder("secret")

    def _once(self, text: str, replacing: Replacing, *, said: bool) -> str:
        if said and self._card is not None and is_lone_card(text):
            return self._instead(self._card)
        text = self._json_text(text)
        lower = text.lower()
        for kind in SECRET_KINDS:
            if kind.name not in self.kept:
                for pattern in kind.searched(text, lower):
                    text = replacing(text, kind.name, pattern, whole=kind.name in self.dropped)
        return text

    def _json_text(self, text: str) -> str:
        """Redact a text that is a JSON object or list by its keys; one that holds no secret stays as it is."""
        if not text.lstrip().startswith(("{", "[")):
            return text
        try:
            parsed = clean_json(json.loads(text))
        except (ValueError, RecursionError):
            return text
        redacted = self.json(parsed)
        return text if redacted == parsed else json.dumps(redacted, ensure_ascii=False)

    def _value(self, value: Json, *, near_card: bool) -> Json:
        if near_card and self._card is not None and is_lone_card(value):
            return self._instead(self._card)
        if isinstance(value, str):
            return self._searched(value, said=False)
        if isinstance(value, Mapping):
            return self._mapping(value, near_card=near_card)
        if isinstance(value, Sequence):
            return [self._value(item, near_card=near_card) for item in value]
        return value

    def _mapping(self, value: Mapping[str, Json], *, near_card: bool) -> Json:
        names = self._names(value)
        beside = self._name_beside(value)
        beside_card = any(map(is_lone_card, value.values())) and speaks_of_cards(value)
        redacted: dict[str, Json] = {}
        for key, item in value.items():
            name = names[key]
            kind = self._kind(_key_words(value, beside if name == "value" else name), item)
            if kind is None:
                near = near_card or names_a_card(name) or (beside_card and is_lone_card(item))
                said = isinstance(item, str) and name.lower() in _SAID and not near
                redacted[name] = self.text(str(item)) if said else self._value(item, near_card=near)
            elif kind.name not in self.dropped:
                redacted[name] = placeholder(kind.name)
        return redacted

    def _names(self, value: Mapping[str, Json]) -> dict[str, str]:
        """Return each key without secrets; keys that differ stay different."""
        names = {key: self._searched(key, said=False) for key in value}
        taken = set(names.values())
        if len(taken) == len(names):
            return names
        numbers: dict[str, int] = {}
        for key, name in names.items():
            number = numbers[name] = numbers.get(name, 0) + 1
            if number > 1:
                while (numbered := f"{name} ({numbers[name]})") in taken:
                    numbers[name] += 1
                taken.add(numbered)
                names[key] = numbered
        return names

    def _name_beside(self, value: Mapping[str, Json]) -> str:
        names = (value.get(name) for name in _PAIR_NAMES)
        return next((self._searched(name, said=False) for name in names if isinstance(name, str)), "value")

    def _kind(self, key: str, item: Json) -> SecretKind | None:
        kinds = (kind for kind in kinds_of_key(key) if kind.name not in self.kept and is_secret(item, kind))
        return next(kinds, None)

    def _instead(self, kind: str) -> str:
        return "" if kind in self.dropped else placeholder(kind)

    @property
    def _card(self) -> str | None:
        return None if CARD in self.kept else CARD


def redact_text(text: str) -> str:
    """Return `text` without secrets, by the default policy."""
    return DEFAULT.text(text)


def redact_json(value: Json) -> Json:
    """Return `value` without secrets, by the default policy."""
    return DEFAULT.json(value)


def redact_entries(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the entries without secrets, by the default policy."""
    return DEFAULT.entries(entries)


def _key_words(value: Mapping[str, Json], name: str) -> str:
    return "private key" if name in _PRIVATE_PARTS and "kty" in value else name


DEFAULT = Redactor()

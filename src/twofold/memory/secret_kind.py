"""What one kind of secret is told by."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from twofold.memory.secret_patterns import SecretPattern


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretKind:
    """One kind of secret; `name` is what the placeholder says.

    `keys` are the words a key ends with, in lower case: `api key` for `api_key`, `apiKey` and `X-Api-Key`. So
    `token_count`, `password_policy` and `posting_key` are not secret. `whole_keys` are all of a key's words:
    `pass`, but not `boarding_pass`. What stands under such a key must match
    `value`, if given, in full, and may be a number only with `numbers` (not: `token: 512`). Only a text that
    has one of `needs`, in lower case, is searched by `patterns`, if given: most texts hold no secret.
    Nor is one in which `shape`, if given, is not found. `kept`: it stays unless the policy says otherwise.
    """

    name: str
    keys: tuple[str, ...] = ()
    whole_keys: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    shape: re.Pattern[str] | None = None
    value: re.Pattern[str] | None = None
    numbers: bool = False
    kept: bool = False
    patterns: tuple[SecretPattern, ...] = ()

    def searched(self, text: str, lower: str) -> Iterator[SecretPattern]:
        """Yield the patterns that may be found in a text; `lower` is the text in lower case."""
        if (self.needs and not _any_of(self.needs, lower)) or (self.shape is not None and not self.shape.search(text)):
            return
        for pattern in self.patterns:
            if not pattern.needs or _any_of(pattern.needs, lower):
                yield pattern


def _any_of(words: tuple[str, ...], text: str) -> bool:
    for word in words:  # noqa: SIM110 - for each text and pattern: `any` takes twice as long
        if word in text:
            return True
    return False

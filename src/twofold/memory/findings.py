"""What an examination of an installation finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Level: TypeAlias = Literal["ok", "unchecked", "warning", "problem"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at: how it is, and what to do where it is not well."""

    level: Level
    about: str
    found: str
    remedy: str = ""

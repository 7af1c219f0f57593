"""Entries of a session as they are handed over: exactly of the types that their description names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from twofold.memory.transcript import Entry
from twofold.wire.parts import is_written_time

NO_SUCH_TYPE = "entry_field_type"

# What pydantic would convert from other types: a number to a time, a text to a number, a 1 to true.
_TRUTHS = frozenset({"chunk", "long_running", "partial", "thought"})


def _typed(entry: object) -> object:
    if isinstance(entry, Mapping):
        for name in _TRUTHS & entry.keys():
            _check(name, isinstance(entry[name], bool), "true or false")
        _check("part", type(entry.get("part", 0)) in {int, float}, "a whole number")
        _check("seconds", type(entry.get("seconds")) in {int, float, type(None)}, "a number or null")
        since = entry.get("rewinds_since")
        _check("rewinds_since", since is None or is_written_time(since), "a time with its zone, as a text, or null")
        _check("at", "at" not in entry or is_written_time(entry["at"]), "a time with its zone, as a text")
    return entry


def _check(name: str, holds: bool, wanted: str) -> None:  # noqa: FBT001 - a condition
    if not holds:
        raise PydanticCustomError(NO_SUCH_TYPE, "{field} is to be {wanted}", {"field": name, "wanted": wanted})


TypedEntry: TypeAlias = Annotated[Entry, BeforeValidator(_typed)]

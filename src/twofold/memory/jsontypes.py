"""The type of plain JSON, which is all that graph state, args and responses may hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
else:
    Json = Any  # a recursive alias cannot be resolved at run time before Python 3.12

JsonObject: TypeAlias = Mapping[str, Json]

"""The check that every vector from a model passes before it reaches a database."""

from __future__ import annotations

import math
from collections.abc import Sequence

from twofold.memory.memories import Vector


def vector_problems(vectors: Sequence[Vector], *, count: int, dims: int) -> list[str]:
    """Return what is wrong with the vectors for `count` texts; an empty list means they can be used."""
    if len(vectors) != count:
        return [f"{len(vectors)} vectors for {count} texts"]
    return list(dict.fromkeys(problem for vector in vectors if (problem := _problem(vector, dims))))


def _problem(vector: Vector, dims: int) -> str:
    if len(vector) != dims:
        return f"a vector of {len(vector)} dimensions where {dims} are expected"
    length = math.hypot(*vector)
    if not math.isfinite(length):
        return "a vector that is not finite"
    return "" if length > 0 else "a vector of zeros, which has no direction"

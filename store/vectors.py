"""Vectors at the border of the database: of the right length, finite and not zero."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from pgvector import Vector as PgVector

from twofold.memory.errors import ModelFailed
from twofold.memory.memories import Vector

_LARGEST = 1e30  # pgvector keeps numbers in four bytes: beyond these they become infinite, or zero
_SMALLEST = 1e-30


def checked_vector(vector: Vector, dims: int) -> PgVector:
    """Return the vector as pgvector's type. Raises ModelFailed if it cannot be compared with those stored."""
    if len(vector) != dims:
        raise ModelFailed(f"The embedder returned a vector of {len(vector)} numbers; this database has {dims}")
    norm = math.hypot(*vector)
    if not norm < _LARGEST:
        raise ModelFailed("The embedder returned a vector with a number that is not finite")
    if norm < _SMALLEST:
        raise ModelFailed("The embedder returned a zero vector, which has no direction")
    return PgVector(list(vector))


def checked_vectors(texts: Iterable[str], vectors: Mapping[str, Vector], dims: int) -> dict[str, Vector]:
    """Return one checked vector for each text. Raises ModelFailed if one is missing or unusable."""
    chosen: dict[str, Vector] = {}
    for text in texts:
        vector = vectors.get(text)
        if vector is None:
            raise ModelFailed(f"The embedder returned no vector for a text of {len(text)} characters")
        checked_vector(vector, dims)
        chosen[text] = vector
    return chosen

"""The cache of vectors."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from twofold.memory.errors import ModelFailed
from twofold.memory.memories import Vector
from twofold.models.cache import CachedEmbedder
from twofold.testing import HashEmbedder


async def test_a_text_is_asked_for_once() -> None:
    inner = HashEmbedder()
    cached = CachedEmbedder(inner)
    await cached.embed(["a", "b", "a"])
    await cached.embed(["b", "c"])
    assert inner.asked == ["a", "b", "c"]


async def test_a_cached_vector_equals_the_models_own() -> None:
    cached = CachedEmbedder(HashEmbedder())
    await cached.embed(["close the ledger"])
    assert await cached.embed(["close the ledger"]) == await HashEmbedder().embed(["close the ledger"])


async def test_the_text_unused_for_longest_is_dropped_first() -> None:
    inner = HashEmbedder()
    cached = CachedEmbedder(inner, kept=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        await cached.embed([text])
    assert inner.asked == ["a", "b", "c", "b"]


async def test_more_texts_than_are_kept_still_get_their_vectors() -> None:
    texts = [f"text {number}" for number in range(10)]
    assert await CachedEmbedder(HashEmbedder(), kept=3).embed(texts) == await HashEmbedder().embed(texts)


async def test_a_failure_is_not_kept() -> None:
    class Failing(HashEmbedder):
        async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
            if not self.asked:
                self.asked.append("failed")
                raise ModelFailed("once")
            return await super().embed(texts)

    cached = CachedEmbedder(Failing())
    with pytest.raises(ModelFailed):
        await cached.embed(["a"])
    assert len(await cached.embed(["a"])) == 1


def test_it_has_the_name_and_the_length_of_what_it_wraps() -> None:
    cached = CachedEmbedder(HashEmbedder(dims=8))
    assert (cached.name, cached.dims) == ("testing:words", 8)

"""Vectors of recent texts, kept so that a recall and its widened repeat pay for one embedding."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from hashlib import sha256
from threading import Lock

from twofold.memory.memories import Vector
from twofold.memory.ports import Embedder

KEPT = 512  # at 1536 dimensions 6 MB


class CachedEmbedder:
    """An embedder that asks another one only for texts it has not seen lately. Safe on several event loops."""

    def __init__(self, embedder: Embedder, *, kept: int = KEPT) -> None:
        """Wrap `embedder` and keep the vectors of its last `kept` texts, by hash."""
        self._embedder = embedder
        self._kept = kept
        self._vectors: OrderedDict[bytes, array[float]] = OrderedDict()
        self._lock = Lock()

    @property
    def name(self) -> str:
        """The wrapped model's name."""
        return self._embedder.name

    @property
    def dims(self) -> int:
        """The length of each vector."""
        return self._embedder.dims

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return one vector per text; equal texts are asked for once. Raises ModelFailed."""
        found = self._find(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            found.update(zip(missing, await self._embedder.embed(missing), strict=True))
            self._keep((text, found[text]) for text in missing)
        return [tuple(found[text]) for text in texts]

    def _find(self, texts: Sequence[str]) -> dict[str, Vector]:
        found: dict[str, Vector] = {}
        with self._lock:
            for text in texts:
                vector = self._vectors.get(_hash(text))
                if vector is not None:
                    self._vectors.move_to_end(_hash(text))
                    found[text] = vector
        return found

    def _keep(self, vectors: Iterable[tuple[str, Vector]]) -> None:
        with self._lock:
            for text, vector in vectors:
                self._vectors[_hash(text)] = array("d", vector)
            while len(self._vectors) > self._kept:
                self._vectors.popitem(last=False)


def _hash(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()

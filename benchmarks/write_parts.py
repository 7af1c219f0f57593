"""Where the time of a save goes: its models, its store and its redaction, each timed where it is called."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from twofold.memory.memories import Vector
from twofold.memory.ports import WritePorts
from twofold.testing import HashEmbedder

DIMS = 1536


@dataclass(slots=True)
class Parts:
    """Seconds by part. The two branches of the graph run at the same time, so that parts overlap."""

    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Add the time of the block to a part."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] += time.perf_counter() - began

    def around(self, ports: WritePorts) -> WritePorts:
        """Return ports that time what goes through them."""
        return replace(
            ports,
            facts=_Timed(ports.facts, "managers", self),
            narrator=_Timed(ports.narrator, "managers", self),
            embedder=_Timed(ports.embedder, "embedding", self),
            memories=_Timed(ports.memories, "store", self),
            kept=_Timed(ports.kept, "store", self),
        )


class _Timed:
    """Any port, with its methods timed."""

    def __init__(self, port: Any, part: str, parts: Parts) -> None:
        self._port, self._part, self._parts = port, part, parts

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        if not callable(found):
            return found

        async def call(*given: Any, **named: Any) -> Any:
            with self._parts.timed(self._part):
                return await found(*given, **named)

        return call


class InstantEmbedder(HashEmbedder):
    """One vector for all texts, of the length that OpenAI's have: what it costs is the store's, not the model's."""

    def __init__(self) -> None:
        """Make the vector."""
        super().__init__(DIMS)
        self._vector = tuple(0.02 if number % 3 else -0.03 for number in range(DIMS))

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return the vector, at once."""
        return [self._vector] * len(texts)

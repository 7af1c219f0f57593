"""What a child and the harness say to each other: a JSON object a line, over a socket that ends with the child."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any


class Link:
    """One end of the socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def say(self, **what: Any) -> None:
        """Send one object."""
        self._writer.write(json.dumps(what).encode() + b"\n")
        await self._writer.drain()

    async def next(self) -> dict[str, Any] | None:
        """Return what the other end sends next, None when it is gone."""
        try:
            line = await self._reader.readline()
        except ConnectionError:
            return None
        if not line.endswith(b"\n"):
            return None
        said: dict[str, Any] = json.loads(line)
        return said

    async def heard(self) -> AsyncIterator[dict[str, Any]]:
        """Yield what the other end sends until it is gone."""
        while (said := await self.next()) is not None:
            yield said

    def close(self) -> None:
        """Let go."""
        self._writer.close()

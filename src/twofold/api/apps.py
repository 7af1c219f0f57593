"""One memory for each event loop of a server, opened by the first call on it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from contextvars import Context
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from twofold.app import MemoryApp
from twofold.memory.errors import StoreUnavailable
from twofold.models.open import Models
from twofold.settings import Settings


@dataclass(slots=True)
class _Opening:
    task: asyncio.Task[MemoryApp]
    stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    @property
    def failed(self) -> bool:
        return self.task.done() and (self.task.cancelled() or self.task.exception() is not None)


class Apps:
    """A server's memories: LangGraph's runs each graph on the loop of one of its threads, if it is told to."""

    def __init__(self, settings: Callable[[], Settings], *, models: Models | None = None) -> None:
        """Take what returns the settings, asked at each opening; `models` win over the settings."""
        self._settings = settings
        self._models = models
        self._open: WeakKeyDictionary[asyncio.AbstractEventLoop, _Opening] = WeakKeyDictionary()

    async def here(self) -> MemoryApp:
        """Return the memory of the running loop; a failed opening is tried again by the next call.

        Raises SettingsInvalid, StoreUnavailable, StoreUnsuitable, EmbedderMismatch.
        """
        loop = asyncio.get_running_loop()
        opening = self._open.get(loop)
        if opening is None or opening.failed:
            stack = AsyncExitStack()
            # In a context of its own: what begins here is no part of the request that opens the memory.
            task = loop.create_task(self._opened(stack), name="twofold-open", context=Context())
            opening = self._open[loop] = _Opening(task, stack)
        try:
            return await asyncio.shield(opening.task)
        except asyncio.CancelledError:
            if opening.task.cancelled():
                raise StoreUnavailable("The memory was closed while it was being opened") from None
            raise

    async def close_here(self) -> None:
        """Close the memory of the running loop, if it is open; the next call opens it anew."""
        opening = self._open.pop(asyncio.get_running_loop(), None)
        if opening is None:
            return
        if not opening.task.done():
            opening.task.cancel()
            await asyncio.wait([opening.task])
        await opening.stack.aclose()

    async def _opened(self, stack: AsyncExitStack) -> MemoryApp:
        return await stack.enter_async_context(MemoryApp.open(self._settings(), models=self._models))

"""What langgraph.json names: the graph factories of the server, bound to one scope."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from weakref import WeakKeyDictionary

from twofold.app import MemoryApp
from twofold.graphs.read import ReadGraph, build_read
from twofold.graphs.write import WriteGraph, build_write
from twofold.memory.scope import Scope
from twofold.settings import load_settings

LOCAL = Scope(tenant_id="local", user_id="local")


class _Apps:
    """One app for each event loop of the server, open until the process ends."""

    def __init__(self) -> None:
        self._apps: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Task[MemoryApp]] = WeakKeyDictionary()
        self._open: list[AsyncExitStack] = []

    async def here(self) -> MemoryApp:
        """Return the app of the running loop, opened by the first call; a failed opening is tried again."""
        loop = asyncio.get_running_loop()
        opening = self._apps.get(loop)
        if opening is None or (opening.done() and (opening.cancelled() or opening.exception())):
            opening = self._apps[loop] = loop.create_task(self._opened(), name="twofold-open")
        return await asyncio.shield(opening)

    async def _opened(self) -> MemoryApp:
        stack = AsyncExitStack()
        app = await stack.enter_async_context(MemoryApp.open(load_settings()))
        self._open.append(stack)  # a stack that is dropped closes its app
        return app


_apps = _Apps()


async def memory_write() -> WriteGraph:
    """Return the graph that stores what a session says and what was done in it."""
    app = await _apps.here()
    return build_write(app.write_ports, bound=LOCAL).compile()


async def memory_read() -> ReadGraph:
    """Return the graph that recalls what is known for a query."""
    app = await _apps.here()
    return build_read(app.read_ports, bound=LOCAL).compile()

"""No request body grows without bound, and few large ones are worked on at once."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from weakref import WeakKeyDictionary

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from twofold.api.paths import is_ours
from twofold.api.problems import answer, plain_problem

MOST_BYTES = 10_000_000
LARGE_BYTES = 1_000_000
MOST_LARGE = 2
"""So many bodies over `LARGE_BYTES` are worked on at once; others wait, and small ones never do."""

_MOST_DIGITS = 18  # longer numbers are not even read
_TOO_LARGE = f"The body is over the limit of {MOST_BYTES} bytes. A session can be handed over in parts."


class BodyLimit:
    """Refuses bodies of our routes that are too large: before anything is done where their length is told.

    A large one has its turn when it has arrived, so that a slow sender keeps nobody waiting.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request; a body whose length is not told is refused when it has grown too large."""
        if not is_ours(scope):
            await self._app(scope, receive, send)
            return
        told = Headers(scope=scope).get("content-length", "")
        if told.isdecimal() and (len(told) > _MOST_DIGITS or int(told) > MOST_BYTES):
            await answer(plain_problem(413, _TOO_LARGE))(scope, receive, send)
            return
        async with AsyncExitStack() as turn:
            await self._app(scope, self._bounded(receive, turn), send)

    def _bounded(self, receive: Receive, turn: AsyncExitStack) -> Receive:
        received, whole = 0, False

        async def receiving() -> Message:
            nonlocal received, whole
            message = await receive()
            received += len(message.get("body", b""))
            if received > MOST_BYTES:
                raise HTTPException(413, _TOO_LARGE)  # which FastAPI lets through from its reading of a body
            if received > LARGE_BYTES and not whole and not message.get("more_body", False):
                whole = True
                turns = self._turns.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(MOST_LARGE))
                await turn.enter_async_context(turns)
            return message

        return receiving

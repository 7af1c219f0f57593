"""No request body grows without bound."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from twofold.api.paths import is_ours
from twofold.api.problems import answer, plain_problem

MOST_BYTES = 20_000_000
_MOST_DIGITS = 18  # longer numbers are not even read
_TOO_LARGE = f"The body is over the limit of {MOST_BYTES} bytes. A session can be handed over in parts."


class BodyLimit:
    """Refuses bodies of our routes that are too large: before anything is done where their length is told."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request; a body whose length is not told is refused when it has grown too large."""
        if not is_ours(scope):
            await self._app(scope, receive, send)
            return
        told = Headers(scope=scope).get("content-length", "")
        if told.isdecimal() and (len(told) > _MOST_DIGITS or int(told) > MOST_BYTES):
            await answer(plain_problem(413, _TOO_LARGE))(scope, receive, send)
            return
        received = 0

        async def receiving() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > MOST_BYTES:
                raise HTTPException(413, _TOO_LARGE)  # which FastAPI lets through from its reading of a body
            return message

        await self._app(scope, receiving, send)

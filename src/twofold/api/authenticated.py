"""Who is calling, settled before any of our routes is reached."""

from __future__ import annotations

from typing import Protocol

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from twofold.api.caller import IDENTITY
from twofold.api.identity import Identity
from twofold.api.paths import is_ours
from twofold.api.problems import answer, problem_of
from twofold.memory.errors import TwofoldError


class Authenticates(Protocol):
    """Tells who is calling."""

    async def identity(self, conn: HTTPConnection) -> Identity:
        """Return the caller. Raises NotAuthenticated, NotAllowed; StoreUnavailable if it cannot be known now."""
        ...


class Authenticated:
    """Lets a request to our addresses through with its caller's identity, or answers it with a problem."""

    def __init__(self, app: ASGIApp, authenticator: Authenticates) -> None:
        self._app = app
        self._authenticator = authenticator

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request; `caller` reads the identity from its scope."""
        if is_ours(scope) and not _is_preflight(scope):
            try:
                identity = await self._authenticator.identity(HTTPConnection(scope))
            except TwofoldError as error:
                await answer(problem_of(error))(scope, receive, send)
                return
            scope[IDENTITY] = identity
        await self._app(scope, receive, send)


def _is_preflight(scope: Scope) -> bool:
    """Whether a browser asks if it may ask: that names nobody, and reaches no route."""
    headers = HTTPConnection(scope).headers
    return scope["method"] == "OPTIONS" and "access-control-request-method" in headers

"""Who reaches a LangGraph server's own routes: its callers, known before anything is read of what they send."""

from __future__ import annotations

from collections.abc import Callable, Collection

from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from twofold.api.authenticated import Authenticates
from twofold.api.caller import IDENTITY
from twofold.api.paths import is_ours, path_of
from twofold.api.problems import answer, problem_of
from twofold.memory.errors import TwofoldError

PUBLIC = frozenset({"/", "/ok", "/info", "/metrics", "/docs", "/openapi.json"})
"""What a LangGraph server tells everybody: that it runs, its version, its counters and how it is called."""

CLOSED = ("/internal", "/deploy", "/ui")
"""Routes of `langgraph dev` for its makers' tests and for Studio's button to deploy, which ask nobody who they are."""


class Guarded:
    """Lets through what is public or ours, and the rest with its caller's identity, or answers it with a problem.

    LangGraph authenticates most of its routes itself, after their body is read; this comes before, for all.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        authenticator: Authenticates,
        origins: Collection[str] = (),
        forget: Callable[[], object] = lambda: None,
    ) -> None:
        """Take who authenticates, and the web pages that may read why they were refused.

        `forget` is called first: a request that follows another one on its connection may start with that one's
        user, whom LangGraph would believe.
        """
        self._app = app
        self._authenticator = authenticator
        self._origins = frozenset(origins)
        self._forget = forget

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request or a WebSocket."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        self._forget()
        path = path_of(scope)
        if path.startswith(CLOSED):
            await JSONResponse({"detail": "Not Found"}, 404)(scope, receive, send)
            return
        if path not in PUBLIC and not is_ours(scope) and scope.get("method") != "OPTIONS":
            conn = HTTPConnection(scope)
            try:
                scope[IDENTITY] = await self._authenticator.identity(conn)
            except TwofoldError as error:
                await answer(problem_of(error), self._readable(conn))(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _readable(self, conn: HTTPConnection) -> dict[str, str]:
        """Return what lets a page of Studio read why it was refused."""
        origin = conn.headers.get("origin", "")
        return {"Access-Control-Allow-Origin": origin, "Vary": "Origin"} if origin in self._origins else {}

"""What a request has done is part of its caller's trace."""

from __future__ import annotations

from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from twofold.api.paths import is_ours
from twofold.telemetry import part_of

QUIET: Any = {"tracing": False, "logs": False, "operation_spans": False}
"""FastAPI's own telemetry, less what names people: addresses hold ids of sessions, logs the words of errors."""


class TracedRequest:
    """Continues the trace that a request to our routes names, unless something before has."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if not is_ours(scope):
            await self._app(scope, receive, send)
            return
        with part_of(Headers(scope=scope)):
            await self._app(scope, receive, send)

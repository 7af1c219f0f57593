"""No secret in what is asked for in an address: a LangGraph server's log tells the query of each request."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.types import ASGIApp, Receive, Scope, Send

from twofold.memory.redaction import DEFAULT, Redactor

# In the letters of our own cursors, which are JSON as base64url, one could be seen by chance.
_CURSOR = re.compile(r"eyJ[\w-]*")


class RedactedQuery:
    """Hands on the query of a request, or of a WebSocket, without secrets; one that holds none as it is."""

    def __init__(self, app: ASGIApp, redactor: Redactor = DEFAULT) -> None:
        self._app = app
        self._redactor = redactor

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if query := scope.get("query_string"):
            # In place: the server that made the scope tells it to its log as well.
            scope["query_string"] = redacted_query(query, self._redactor)
        await self._app(scope, receive, send)


def redacted_query(query: bytes, redactor: Redactor = DEFAULT) -> bytes:
    """Return a query without secrets, told by its name or its text."""
    pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True)  # as Starlette reads it
    redacted = [pair if _CURSOR.fullmatch(pair[1]) else _redacted(*pair, redactor) for pair in pairs]
    return query if redacted == pairs else urlencode(redacted).encode()


def _redacted(name: str, value: str, redactor: Redactor) -> tuple[str, str]:
    redacted: Any = redactor.json({name: value})
    return next(iter(redacted.items()), (name, ""))  # a pair that is dropped keeps its name: routes may want it

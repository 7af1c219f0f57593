"""No secret in what is sent to a LangGraph server's own routes reaches it: they keep what they are sent."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from twofold.api.paths import is_ours
from twofold.memory.redaction import DEFAULT, Redactor

MOST_BYTES = 5_000_000
"""A graph's input is kept at each of its steps; larger sessions are handed over at `/memory/sessions`, in parts."""

_METHODS = frozenset({"POST", "PUT", "PATCH"})
_ASIDE_BYTES = 5_000
# What names things of the server is left as it is, whatever it looks like.
_NAMES = frozenset("assistant_id thread_id run_id checkpoint_id cron_id graph_id ids thread_ids run_ids".split())


class Redacting:
    """Redacts the JSON bodies of requests to a LangGraph server's own routes.

    The server's hooks see the input of a run, but not the values of a state update nor the states a thread is
    made with. What is no JSON is refused: none of these routes takes anything else.
    """

    def __init__(self, app: ASGIApp, redactor: Redactor = DEFAULT) -> None:
        self._app = app
        self._redactor = redactor

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request; the routes read its redacted body."""
        if scope["type"] != "http" or scope["method"] not in _METHODS or is_ours(scope):
            await self._app(scope, receive, send)
            return
        try:
            body = await _read(Headers(scope=scope), receive)
            redacted = await _redacted(body, self._redactor)
        except HTTPException as refusal:
            await JSONResponse({"detail": refusal.detail}, refusal.status_code)(scope, receive, send)
        else:
            await self._app(_with_length(scope, len(redacted)), _once(redacted, receive), send)


def redacted_body(body: bytes, redactor: Redactor = DEFAULT) -> bytes:
    """Return a JSON body without secrets. Raises ValueError, RecursionError if it cannot be read."""
    value = json.loads(body)
    parts = value if isinstance(value, list) else [value]
    redacted: Any = [_redacted_part(part, redactor) for part in parts]
    return json.dumps(redacted if isinstance(value, list) else redacted[0], separators=(",", ":")).encode()


def _redacted_part(value: Any, redactor: Redactor) -> Any:
    redacted = redactor.json(value)
    if isinstance(redacted, dict):
        return redacted | {name: value[name] for name in _NAMES & value.keys()}
    return redacted


async def _redacted(body: bytes, redactor: Redactor) -> bytes:
    """Return the body without secrets; a large one is read on a thread. Raises HTTPException if it is no JSON."""
    if not body.strip():
        return body
    try:
        if len(body) < _ASIDE_BYTES:
            return redacted_body(body, redactor)
        return await asyncio.to_thread(redacted_body, body, redactor)
    except (ValueError, RecursionError):
        raise HTTPException(422, "Invalid JSON in request body") from None


async def _read(headers: Headers, receive: Receive) -> bytes:
    """Return the whole body. Raises HTTPException if it is too large, or its sender has left."""
    told = headers.get("content-length", "")
    too_large = HTTPException(413, f"Request body too large (limit: {MOST_BYTES} bytes)")
    if told.isdecimal() and (len(told) > len(str(MOST_BYTES)) or int(told) > MOST_BYTES):
        raise too_large
    body = bytearray()
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise HTTPException(400, "The body is not complete")
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > MOST_BYTES:
            raise too_large
    return bytes(body)


def _with_length(scope: Scope, length: int) -> Scope:
    headers = MutableHeaders(raw=list(scope["headers"]))
    headers["content-length"] = str(length)
    del headers["transfer-encoding"]
    return {**scope, "headers": headers.raw}


def _once(body: bytes, receive: Receive) -> Receive:
    waiting = [body]

    async def receiving() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return receiving

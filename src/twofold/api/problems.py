"""What goes wrong, as an answer over HTTP: one table from class of error to status, one form for all."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.exception_handlers import http_exception_handler
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from twofold.api.paths import is_ours
from twofold.api.refused import refused_field
from twofold.memory.clean import clean_text
from twofold.memory.errors import (
    Conflict,
    ExtractionFailed,
    InvalidInput,
    IssuerUnavailable,
    ModelFailed,
    NotAccepted,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    StoreUnavailable,
    TwofoldError,
)
from twofold.wire import PROBLEM_TYPE, Problem

logger = logging.getLogger(__name__)

PROBLEM_JSON = "application/problem+json"
RETRY_SECONDS = 5

STATUS: Mapping[type[TwofoldError], int] = {
    InvalidInput: 422,
    NotFound: 404,
    NotAuthenticated: 401,
    NotAllowed: 403,
    IssuerUnavailable: 503,
    Conflict: 409,
    NotAccepted: 503,
    StoreUnavailable: 503,
    ModelFailed: 502,
    ExtractionFailed: 502,
    TwofoldError: 500,
}
"""The status of each error; a class that is not named has its parent's."""

# What the log tells and the caller is not told: where the database is, and what a model's server said.
_INSTEAD = {
    500: "Something went wrong here. The server's log says what.",
    502: "A model failed or answered with something that cannot be used. Try again; the server's log says more.",
    503: f"Memory cannot be reached right now. Try again in {RETRY_SECONDS} seconds.",
}
_FIELD = re.compile(r"([a-z_]+(?:\[\d+\])?(?:\.[a-z_]+(?:\[\d+\])?)*): ")
_JOINT = re.compile(r"(?<=[a-z])(?=[A-Z])")


def status_of(error: TwofoldError) -> tuple[type[TwofoldError], int]:
    """Return the class of the table that an error belongs to, and its status."""
    return next((kind, STATUS[kind]) for kind in type(error).__mro__ if kind in STATUS)


def problem_of(error: TwofoldError) -> Problem:
    """Return what a caller is told of an error; what only concerns the server is logged instead."""
    kind, status = status_of(error)
    detail = None if kind is IssuerUnavailable else _INSTEAD.get(status)
    if detail is None:
        detail = clean_text(str(error))
    else:
        logger.warning("%s: %s", kind.__name__, error)
    field = _FIELD.match(detail) if kind is InvalidInput else None
    return Problem(
        type=PROBLEM_TYPE + kind.__name__,
        title=_JOINT.sub(" ", kind.__name__).capitalize(),
        status=status,
        detail=detail,
        field=None if field is None else field[1],
    )


def answer(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """Return a problem as a response, with the headers that its status asks for."""
    own = {401: {"WWW-Authenticate": "Bearer"}, 503: {"Retry-After": str(RETRY_SECONDS)}}.get(problem.status, {})
    return Response(
        problem.model_dump_json(exclude_none=True),
        status_code=problem.status,
        headers={**(headers or {}), **own},
        media_type=PROBLEM_JSON,
    )


def plain_problem(status: int, detail: str) -> Problem:
    """Return a problem that is no error of twofold's own: its status says what it is."""
    return Problem(title=HTTPStatus(status).phrase, status=status, detail=detail)


def handle_problems(app: FastAPI) -> None:
    """Have the app answer errors of our routes with problems; those of other routes stay as they are."""
    app.add_exception_handler(TwofoldError, _on_our_error)
    app.add_exception_handler(RequestValidationError, _on_refused)
    app.add_exception_handler(HTTPException, _on_http_error)


async def _on_our_error(_: Request, error: Exception) -> Response:
    return answer(problem_of(_as(TwofoldError, error)))


async def _on_refused(_: Request, error: Exception) -> Response:
    return answer(refused_field(_as(RequestValidationError, error).errors()))


async def _on_http_error(request: Request, error: Exception) -> Response:
    known = _as(HTTPException, error)
    if not is_ours(request.scope):
        return await http_exception_handler(request, known)
    if known.status_code in {404, 405}:
        return _nowhere(request)
    return answer(plain_problem(known.status_code, known.detail), known.headers)


def _nowhere(request: Request) -> Response:
    """Answer a request that no route takes. Inside a LangGraph server, a wrong method looks like no address."""
    fitting = (route for route in request.app.routes if route.matches(request.scope)[0] != Match.NONE)
    methods = sorted({method for route in fitting for method in getattr(route, "methods", None) or ()})
    if not methods:
        return answer(plain_problem(404, "There is nothing at this address."))
    allowed = ", ".join(methods)
    return answer(plain_problem(405, f"This address takes {allowed}."), {"Allow": allowed})


def _as(kind: type[Any], error: Exception) -> Any:
    if not isinstance(error, kind):
        raise TypeError(f"a handler of {kind.__name__} was given {type(error).__name__}")
    return error


class NoSurprises:
    """Answers what nobody expected with a problem that tells nothing, and logs it; for our routes only."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request. An error after the answer has begun is raised, which ends the connection."""
        if not is_ours(scope):
            await self._app(scope, receive, send)
            return
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception:
            if begun:
                raise
            logger.exception("%s %s failed", scope["method"], HTTPConnection(scope).url.path)
            await answer(plain_problem(500, _INSTEAD[500]))(scope, receive, send)

"""What a server refused, as one of our errors."""

from __future__ import annotations

from http import HTTPStatus

import httpx
from pydantic import BaseModel, ValidationError

from twofold.memory.errors import (
    Conflict,
    ExtractionFailed,
    InvalidInput,
    ModelFailed,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    ServerUnavailable,
    TwofoldError,
)
from twofold.wire import PROBLEM_TYPE, Problem

_LONGEST = 500

_ERRORS: dict[str, type[TwofoldError]] = {
    PROBLEM_TYPE + kind.__name__: kind for kind in (Conflict, ExtractionFailed, InvalidInput, ModelFailed, NotFound)
}


class TooLarge(ServerUnavailable):
    """The server, or a proxy before it, does not take a body of this size."""


class _Detail(BaseModel):
    """How LangGraph's own server words an error."""

    detail: str


def error_of(response: httpx.Response, server: str) -> TwofoldError:
    """Return what an answer that is no success means. `server` is its address as it may be shown."""
    status, problem = response.status_code, _problem(response)
    told = f": {problem.detail[:_LONGEST]}" if problem.detail else ""
    if status == HTTPStatus.UNAUTHORIZED:
        return NotAuthenticated(
            f"{server} does not know the service key{told}; set service_key or TWOFOLD_SERVER_KEY to a key of its"
            " TWOFOLD_SERVICE_KEYS"
        )
    if status == HTTPStatus.FORBIDDEN:
        return NotAllowed(f"{server} does not let this service key do that{told}; see its TWOFOLD_SERVICE_KEYS")
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return TooLarge(f"{server} does not take a request of {len(response.request.content)} bytes{told}")
    if response.is_redirect:
        return ServerUnavailable(
            f"{server} redirects to another address, where the key is not sent; use the server's own address"
        )
    if problem.type in _ERRORS:
        return _ERRORS[problem.type](problem.detail[:_LONGEST])
    return ServerUnavailable(f"{server} answered {status} to {response.request.url.path}{told}")


def _problem(response: httpx.Response) -> Problem:
    """Return the problem that an answer tells; one without words where it tells none."""
    status, content = response.status_code, response.content
    try:
        return Problem.model_validate_json(content)
    except ValidationError:
        pass
    try:
        return Problem(title="", status=status, detail=_Detail.model_validate_json(content).detail)
    except ValidationError:
        return Problem(title="", status=status, detail="")

"""What the OpenAPI description says beside the routes themselves: problems, the bearer's token, whom to act for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI

from twofold.api.paths import ROOT
from twofold.api.problems import PROBLEM_JSON, RETRY_SECONDS
from twofold.wire import TENANT_HEADER, USER_HEADER, Problem

_EVERYWHERE = (401, 403, 500, 503)
_SCHEMA = {"$ref": "#/components/schemas/Problem"}
_MEANS = {
    400: "The body is no JSON.",
    401: "Nobody knows who is calling.",
    403: "The caller may not do this, or not for this person.",
    404: "There is no such memory or session of this person.",
    409: "The memory was changed meanwhile.",
    413: "The body is too large.",
    422: "A field cannot be used; the problem names it and its limit.",
    500: "Something unexpected went wrong.",
    502: "A model failed.",
    503: f"Memory cannot be reached right now; try again in {RETRY_SECONDS} seconds.",
    504: "It took longer than a search may take.",
}
_HEADERS: dict[int, dict[str, Any]] = {
    401: {"WWW-Authenticate": {"description": "`Bearer`", "schema": {"type": "string"}}},
    503: {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "string"}}},
}
BODY = (400, 413, 422)
"""What can be wrong with a body."""


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return how a route describes the problems it answers with: these, and those that any route has."""
    return {status: _response(status) for status in sorted({*_EVERYWHERE, *statuses})}


def linked(status: int, operations: Iterable[str], parameter: str, found_at: str) -> dict[int | str, dict[str, Any]]:
    """Return how a route describes which operations take a part of its answer as their parameter."""
    value = f"$response.body#{found_at}"
    return {status: {"links": {name: {"operationId": name, "parameters": {parameter: value}} for name in operations}}}


def describe(app: FastAPI) -> None:
    """Complete the OpenAPI description of an app. It is made once, at the first call."""
    own = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _completed(own)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's own way of extending it


def _completed(own: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    schema = own()
    components = schema.setdefault("components", {})
    components.setdefault("schemas", {})["Problem"] = Problem.model_json_schema()
    components["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer", "description": "A person's token, or a service's key."}
    }
    components["parameters"] = {
        "Tenant": _act_for(TENANT_HEADER, "tenant"),
        "User": _act_for(USER_HEADER, "person"),
    }
    for path, operations in schema["paths"].items():
        if path == ROOT or path.startswith(f"{ROOT}/"):
            for operation in operations.values():
                _complete(operation)
    return schema


def _complete(operation: dict[str, Any]) -> None:
    operation["security"] = [{"bearer": []}]
    operation.setdefault("parameters", []).extend(
        {"$ref": f"#/components/parameters/{name}"} for name in ("Tenant", "User")
    )


def _act_for(header: str, whom: str) -> dict[str, Any]:
    return {
        "name": header,
        "in": "header",
        "required": False,
        "description": f"The {whom} that a service acts for, percent-encoded UTF-8. People's tokens name their own.",
        "schema": {"type": "string"},
    }


def _response(status: int) -> dict[str, Any]:
    return {
        "description": _MEANS.get(status, HTTPStatus(status).phrase),
        "headers": _HEADERS.get(status, {}),
        "content": {PROBLEM_JSON: {"schema": _SCHEMA}},
    }

"""Connections as a server hands them to its app."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import HTTPConnection


def scope_of(headers: Mapping[str, str] | list[tuple[str, str]] | None = None, **changes: Any) -> dict[str, Any]:
    """Return the ASGI scope of a request from this machine to this machine; `changes` are keys of the scope."""
    pairs = headers if isinstance(headers, list) else list({"Host": "localhost:2024", **(headers or {})}.items())
    return {
        "type": "http",
        "method": "GET",
        "path": "/threads",
        "root_path": "",
        "scheme": "http",
        "query_string": b"",
        "client": ("127.0.0.1", 40000),
        "server": ("127.0.0.1", 2024),
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in pairs],
        **changes,
    }


def connection(headers: Mapping[str, str] | list[tuple[str, str]] | None = None, **changes: Any) -> HTTPConnection:
    return HTTPConnection(scope_of(headers, **changes))

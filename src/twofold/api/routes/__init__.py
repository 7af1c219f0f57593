"""The addresses under `/memory`, a file for each thing they are about."""

from __future__ import annotations

from collections.abc import Iterator

from starlette.routing import BaseRoute

from twofold.api.routes import care, everything, memories, search, sessions


def all_routes() -> Iterator[BaseRoute]:
    """Yield every route, fixed words before keys. Each is a plain route: LangGraph's server wraps them one by one."""
    for module in (care, everything, search, sessions, memories):
        yield from module.router.routes

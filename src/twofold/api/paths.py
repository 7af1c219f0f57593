"""Which requests are ours: those under `/memory`, wherever the app is mounted."""

from __future__ import annotations

from starlette.types import Scope

ROOT = "/memory"


def is_ours(scope: Scope) -> bool:
    """Whether this is an HTTP request to one of our addresses, which a LangGraph server has beside its own."""
    if scope["type"] != "http":
        return False
    path = path_of(scope)
    return path == ROOT or path.startswith(f"{ROOT}/")


def path_of(scope: Scope) -> str:
    """Return the path of a request or a WebSocket within the app, wherever it is mounted."""
    path, mounted_at = str(scope["path"]), str(scope.get("root_path", ""))
    return path.removeprefix(mounted_at) if path.startswith(f"{mounted_at}/") else path

"""The memory that the routes of an app work on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, TypeAlias, cast

from fastapi import Depends, FastAPI
from starlette.requests import Request

from twofold.app import MemoryApp

OpensMemory: TypeAlias = Callable[[], Awaitable[MemoryApp]]


def work_on(app: FastAPI, memory: OpensMemory) -> None:
    """Have the routes of `app` work on what `memory` returns, which is asked at each request."""
    app.state.twofold_memory = memory


async def opened(request: Request) -> MemoryApp:
    """Return the memory of the running loop. Raises what opening it raises."""
    return await cast("OpensMemory", request.app.state.twofold_memory)()


Opened = Annotated[MemoryApp, Depends(opened)]

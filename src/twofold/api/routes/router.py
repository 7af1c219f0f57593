"""A router whose operations are named as their functions, and whose large bodies are read on a thread."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.responses import Response

_LARGE_BYTES = 100_000


def router_of(tag: str) -> APIRouter:
    """Return an empty router. Function names are what clients generated from the description call."""
    return APIRouter(tags=[tag], generate_unique_id_function=_name, route_class=_Route)


class _Route(APIRoute):
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler, for which the body is read as the model it is to be."""
        handle = super().get_route_handler()
        model = None if self.body_field is None else self.body_field.field_info.annotation
        if not (isinstance(model, type) and issubclass(model, BaseModel)):
            return handle

        async def handling(request: Request) -> Response:
            return await handle(_Asked(request, model))

        return handling


class _Asked(Request):
    """A request whose large body is read on a thread: checking one of 7 MB takes longer than others like to wait."""

    def __init__(self, request: Request, model: type[BaseModel]) -> None:
        super().__init__(request.scope, request.receive)
        self._model = model

    async def json(self) -> Any:
        """Return the body: a large one as the model, which FastAPI takes as it is."""
        body = await self.body()
        return await (super().json() if len(body) < _LARGE_BYTES else asyncio.to_thread(_read, body, self._model))


def _read(body: bytes, model: type[BaseModel]) -> Any:
    value = json.loads(body)
    try:
        return model.model_validate(value)
    except ValidationError:
        return value  # so that it is FastAPI that refuses it


def _name(route: APIRoute) -> str:
    return route.name

"""A router whose operations are named as their functions."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.routing import APIRoute


def router_of(tag: str) -> APIRouter:
    """Return an empty router. Function names are what clients generated from the description call."""
    return APIRouter(tags=[tag], generate_unique_id_function=_name)


def _name(route: APIRoute) -> str:
    return route.name

"""The authenticated caller of a request, for the routes."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from twofold.api.identity import Identity
from twofold.memory.errors import NotAllowed, NotAuthenticated
from twofold.memory.scope import Scope
from twofold.wire import TENANT_HEADER, USER_HEADER

IDENTITY = "twofold.identity"
"""Where the authenticating middleware leaves the identity in the request's ASGI scope."""


async def caller(request: Request) -> Identity:
    """Return who is calling. Raises NotAuthenticated where no middleware has settled it."""
    identity = request.scope.get(IDENTITY)
    if not isinstance(identity, Identity):
        raise NotAuthenticated("Nobody has authenticated this request")
    return identity


async def caller_scope(identity: Annotated[Identity, Depends(caller)]) -> Scope:
    """Return whose memory the request is about. Raises NotAllowed for a service that names nobody."""
    if identity.scope is None:
        raise NotAllowed(f"Name whom you act for: {TENANT_HEADER} and {USER_HEADER}")
    return identity.scope


Caller = Annotated[Identity, Depends(caller)]
CallerScope = Annotated[Scope, Depends(caller_scope)]

"""Who may do what on a LangGraph server: each person what is their own, nobody anything else."""

from __future__ import annotations

from typing import Any

from langgraph_sdk import Auth
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from twofold.api.caller import IDENTITY
from twofold.api.configured import authenticator, settings
from twofold.api.identity import Identity, name_of, scope_named
from twofold.api.kept_redacted import drop_identities, redact_kept
from twofold.api.paths import is_ours
from twofold.api.problems import status_of
from twofold.memory.errors import NotAuthenticated, TwofoldError
from twofold.wire import TENANT_HEADER, USER_HEADER

auth = Auth()

_NO_WEBHOOKS = "Webhooks are switched off on this server: leave `webhook` out"


@auth.authenticate
async def authenticate(scope: dict[str, Any]) -> Auth.types.MinimalUserDict:
    """Return the caller, for HTTP and WebSocket connections alike.

    The identity is a text that tells the scope, since a scheduled run keeps nothing else of its user.
    """
    try:
        identity = scope.get(IDENTITY) or await authenticator().identity(HTTPConnection(scope))
    except TwofoldError as error:
        raise _refused(error) from None
    return {"identity": _name(identity, scope), "display_name": identity.service or "person", "permissions": []}


@auth.on
async def nothing(ctx: Auth.types.AuthContext, value: Any) -> bool:  # noqa: ARG001 - LangGraph names them
    """Refuse whatever is not allowed below: changing assistants, the store, and what a later server adds."""
    return False


@auth.on.assistants(actions=["read", "search"])
async def the_graphs(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.FilterType:  # noqa: ARG001
    """Show everyone the graphs of this server, which are the assistants that it made itself."""
    return {"created_by": "system"}


@auth.on.threads
async def own_threads(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.FilterType:
    """Let a person make threads and runs, and see and change their own only; no secret of them is kept."""
    return await _own(ctx, value)


@auth.on.crons
async def own_crons(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.FilterType:
    """Let a person schedule runs of their own; no secret of them is kept, and no other identity."""
    drop_identities(value.get("payload"))
    return await _own(ctx, value)


async def _own(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.FilterType:
    owner = ctx.user.identity
    try:
        scope_named(owner)
    except NotAuthenticated as error:
        raise Auth.exceptions.HTTPException(status_code=403, detail=str(error)) from None
    if ctx.action in {"create", "create_run", "update"}:
        if any((value.get(part) or {}).get("webhook") for part in ("kwargs", "payload")):
            raise Auth.exceptions.HTTPException(status_code=422, detail=_NO_WEBHOOKS)
        await redact_kept(value, settings().redactor)
        if ctx.action != "update" or value.get("metadata") is not None:
            value.setdefault("metadata", {})["owner"] = owner
    return {"owner": owner}


def _name(identity: Identity, scope: dict[str, Any]) -> str:
    if identity.scope is not None:
        return name_of(identity.scope)
    if is_ours(scope):  # some of our routes are for services as such
        return f"service {identity.service}"
    raise Auth.exceptions.HTTPException(
        status_code=403, detail=f"Name whom you act for: {TENANT_HEADER} and {USER_HEADER}"
    )


def _refused(error: TwofoldError) -> Exception:
    _, status = status_of(error)
    if status in {401, 403}:
        return Auth.exceptions.HTTPException(status_code=status, detail=str(error))
    return HTTPException(status, str(error))

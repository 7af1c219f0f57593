"""The memory itself: how it is doing, and working anew on what was given up."""

from __future__ import annotations

from twofold.api.caller import Caller
from twofold.api.described import problems
from twofold.api.opened import Opened
from twofold.api.routes.router import router_of
from twofold.health import SaveError
from twofold.memory.keys import body_id
from twofold.wire import HealthBody, Retried, SaveErrorBody

router = router_of("care")


@router.get("/memory/health", responses=problems())
async def health(identity: Caller, app: Opened) -> HealthBody:
    """Return which models are in use, what waits and what failed: of the caller, or of all that a service serves."""
    backlog = await app.watch.backlog(identity.scope, tenants=identity.tenants)
    return HealthBody(
        told=backlog.told,
        extractor=app.models.facts.name,
        embedder=app.models.embedder.name,
        waiting=backlog.waiting,
        failed=backlog.failed,
        oldest_at=backlog.oldest_at,
        behind_since=backlog.behind_since,
        last_error=None if backlog.last_error is None else _body_of(backlog.last_error),
    )


@router.post("/memory/retry", responses=problems())
async def retry(identity: Caller, app: Opened) -> Retried:
    """Work anew on what waits or was given up: of the caller, or of all that a service serves which names nobody."""
    return Retried(sessions=await app.database.backlog.try_anew(identity.scope, tenants=identity.tenants))


def _body_of(error: SaveError) -> SaveErrorBody:
    return SaveErrorBody(session_id=body_id(error.session_id), at=error.at, cause=error.cause)

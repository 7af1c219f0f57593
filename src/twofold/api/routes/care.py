"""The memory itself: how it is doing, and working anew on what was given up."""

from __future__ import annotations

from twofold.api.caller import Caller
from twofold.api.described import problems
from twofold.api.opened import Opened
from twofold.api.routes.router import router_of
from twofold.wire import HealthBody, Retried

router = router_of("care")


@router.get("/memory/health", responses=problems())
async def health(identity: Caller, app: Opened) -> HealthBody:
    """Return which models are in use and what waits: of the caller, or of all that a service serves."""
    pending = await app.database.backlog.pending(identity.scope, tenants=identity.tenants)
    return HealthBody(
        extractor=app.models.facts.name,
        embedder=app.models.embedder.name,
        waiting=pending.waiting,
        failed=pending.failed,
        oldest_at=pending.oldest_at,
    )


@router.post("/memory/retry", responses=problems())
async def retry(identity: Caller, app: Opened) -> Retried:
    """Work anew on what waits or was given up: of the caller, or of all that a service serves which names nobody."""
    return Retried(sessions=await app.database.backlog.try_anew(identity.scope, tenants=identity.tenants))

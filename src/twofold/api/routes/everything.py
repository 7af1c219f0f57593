"""All that is kept of the caller: taking it along, erasing it."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

from starlette.responses import StreamingResponse

from twofold.api.caller import Caller, CallerScope
from twofold.api.described import problems
from twofold.api.erasing import erase_tenant, erase_user
from twofold.api.opened import Opened
from twofold.api.routes.parameters import TenantInPath
from twofold.api.routes.router import router_of
from twofold.api.threads import CallersThreads
from twofold.memory.errors import NotAllowed
from twofold.wire import ErasedBody

router = router_of("everything")

NDJSON = "application/x-ndjson"
# Readers of texts take these for line ends; JSON leaves them as they are.
_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}
_LINES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "One JSON object a line: every memory, every change, every accepted session with its entries."
        " `type` is `memory`, `change` or `session`; a long session has several lines.",
        "content": {NDJSON: {"schema": {"type": "string"}}},
    }
}


class _Lines(StreamingResponse):
    media_type = NDJSON


@router.get("/memory/export", response_class=_Lines, responses={**problems(), **_LINES})
async def export_everything(scope: CallerScope, app: Opened) -> StreamingResponse:
    """Return everything that is kept of the caller, as it is read."""
    lines = app.export(scope)
    first = await anext(lines, None)  # an error before the first line is still a problem
    return _Lines(_written(first, lines), headers={"Content-Disposition": 'attachment; filename="memory.ndjson"'})


@router.delete("/memory", responses=problems())
async def erase_everything(scope: CallerScope, app: Opened, threads: CallersThreads) -> ErasedBody:
    """Erase everything of the caller, with its traces; handing old sessions over again does not bring it back.

    On a LangGraph server also their threads, the runs of these, and their schedules.
    """
    return await erase_user(app, threads, scope)


@router.delete("/memory/tenants/{tenant_id:rest}", responses=problems(422))
async def erase_everybody(
    identity: Caller, app: Opened, threads: CallersThreads, tenant_id: TenantInPath
) -> ErasedBody:
    """Erase everything of everybody in a tenant; for a service that may act for it and names nobody.

    One that breaks off leaves each person whole or erased; done again, it goes on.
    """
    if identity.scope is not None:
        raise NotAllowed("Only a service erases a whole tenant, and it names nobody whom it acts for")
    if identity.tenants is not None and tenant_id not in identity.tenants:
        raise NotAllowed(f"The service {identity.service!r} may not act for people of this tenant")
    return await erase_tenant(app, threads, tenant_id)


async def _written(first: dict[str, Any] | None, more: AsyncGenerator[dict[str, Any], None]) -> AsyncIterator[str]:
    async with aclosing(more):
        if first is not None:
            yield _line(first)
        async for line in more:
            yield _line(line)


def _line(line: dict[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).translate(_LINE_ENDS) + "\n"

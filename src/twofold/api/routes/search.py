"""Searching: what is remembered for a query."""

from __future__ import annotations

import asyncio

from starlette.exceptions import HTTPException

from twofold.api.caller import CallerScope
from twofold.api.described import BODY, problems
from twofold.api.opened import Opened
from twofold.api.routes.router import router_of
from twofold.memory.keys import key_of_url
from twofold.telemetry import searching
from twofold.wire import Question, RecallBody

router = router_of("search")


@router.post("/memory/search", responses=problems(*BODY, 502, 504))
async def search(scope: CallerScope, app: Opened, question: Question) -> RecallBody:
    """Return what is remembered for a query, newest first: at most 6 facts and 4 episodes."""
    except_session = None if question.except_session is None else key_of_url(question.except_session, "except_session")
    deadline = app.settings.recall_deadline
    try:
        with searching():
            async with asyncio.timeout(deadline):
                recall = await app.recall(scope, question.query, except_session)
    except TimeoutError:
        raise HTTPException(504, f"The search took longer than {deadline:g} seconds. Try again.") from None
    return RecallBody.of(recall)

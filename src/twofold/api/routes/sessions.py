"""Sessions: handing them over, asking how far their save got, erasing what came from them."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import Query
from pydantic import Field

from twofold.api import erasing
from twofold.api.caller import CallerScope
from twofold.api.described import BODY, linked, problems
from twofold.api.opened import Opened
from twofold.api.routes.parameters import SessionInPath
from twofold.api.routes.router import router_of
from twofold.api.threads import CallersThreads
from twofold.memory.errors import InvalidInput, NotFound
from twofold.memory.keys import body_id, key_of_url
from twofold.memory.redaction import Redactor
from twofold.memory.transcript import Transcript
from twofold.nodes.write.validate import cleaned_entries
from twofold.wire import LARGEST_REVISION, LONGEST_WAIT, Accepted, Body, ErasedBody, HandedOver, SessionProgress

router = router_of("sessions")

_LINKS = linked(202, ("session_progress", "erase_session"), "session_id", "/session_id")


class _Waiting(Body):
    revision: int | None = Field(
        default=None, ge=0, le=LARGEST_REVISION, description="The revision that is asked about; the newest if none."
    )
    wait: float = Field(
        default=0.0, ge=0, le=LONGEST_WAIT, description="Seconds to wait for that revision to be stored."
    )


@router.post("/memory/sessions", status_code=202, responses={**problems(*BODY), **_LINKS})
async def hand_over_session(scope: CallerScope, app: Opened, session: HandedOver) -> Accepted:
    """Accept a session, whole or in part, durably: it is merged with what is known of it, and saved soon.

    Secrets are taken out before anything is kept. Handing the same entries over again changes nothing.
    """
    session_id = key_of_url(session.session_id, "session_id")
    if not session_id:
        raise InvalidInput("session_id: is empty")
    # On a thread: what tools returned may be large, and it is searched for secrets.
    transcript = await asyncio.to_thread(_transcript, session_id, session, app.redactor)
    revision = await app.accept(scope, transcript, at_once=session.at_once)
    return Accepted(session_id=body_id(session_id), revision=revision)


@router.get("/memory/sessions/{session_id:rest}", responses=problems(404, 422))
async def session_progress(
    scope: CallerScope, app: Opened, session_id: SessionInPath, asked: Annotated[_Waiting, Query()]
) -> SessionProgress:
    """Return how far the save of a session got; with `wait`, when it is stored or the time is up."""
    inbox = app.database.inbox
    state = await inbox.state(scope, session_id)
    if state is not None and asked.wait:
        wanted = state.revision if asked.revision is None else asked.revision
        await app.stored(scope, session_id, wanted, asked.wait)
        state = await inbox.state(scope, session_id)
    if state is None:
        raise NotFound("This person has no session of that id: it was never accepted, was erased, or has expired")
    wanted = state.revision if asked.revision is None else asked.revision
    return SessionProgress(
        session_id=body_id(session_id),
        revision=state.revision,
        stored=state.done(wanted),
        given_up=state.given_up(wanted),
        error=state.error,
    )


@router.delete("/memory/sessions/{session_id:rest}", responses=problems(422))
async def erase_session(
    scope: CallerScope, app: Opened, threads: CallersThreads, session_id: SessionInPath
) -> ErasedBody:
    """Erase what came from one session, with its traces; handing it over again does not bring it back.

    On a LangGraph server also the threads of which it is the state, or was a run's input.
    """
    return await erasing.erase_session(app, threads, scope, session_id)


def _transcript(session_id: str, session: HandedOver, redactor: Redactor) -> Transcript:
    return Transcript(session_id=session_id, entries=redactor.entries(cleaned_entries(session.entries)))

"""The HTTP API as one app, to be served alone or inside a LangGraph server."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from importlib.metadata import version

from fastapi import FastAPI
from starlette.middleware import Middleware

from twofold.api.authenticated import Authenticated, Authenticates
from twofold.api.body_limit import BodyLimit
from twofold.api.described import describe
from twofold.api.opened import OpensMemory, work_on
from twofold.api.problems import NoSurprises, handle_problems
from twofold.api.redacted_query import RedactedQuery
from twofold.api.routes import all_routes
from twofold.api.traced_request import QUIET, TracedRequest
from twofold.memory.redaction import DEFAULT, Redactor


def build_app(
    *,
    memory: OpensMemory,
    authenticator: Authenticates,
    redactor: Redactor = DEFAULT,
    lifespan: Callable[[FastAPI], AbstractAsyncContextManager[None]] | None = None,
) -> FastAPI:
    """Return the app with every route of `/memory`.

    `memory` returns the memory opened on the running loop, and is asked at each request. `redactor` takes secrets out
    of addresses, which logs tell. What belongs to the
    whole server (docs, redirects, the errors of other addresses) is left alone: a LangGraph server takes over
    routes, middleware, error handlers and lifespan.
    """
    app = FastAPI(
        title="twofold",
        summary="Long-term memory: what is true of a person, and what was done for them.",
        version=version("twofold"),
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        telemetry=QUIET,
        middleware=[
            Middleware(TracedRequest),
            Middleware(RedactedQuery, redactor=redactor),
            Middleware(NoSurprises),
            Middleware(Authenticated, authenticator=authenticator),
            Middleware(BodyLimit),
        ],
    )
    app.router.routes.extend(all_routes())
    work_on(app, memory)
    handle_problems(app)
    describe(app)
    return app

"""What langgraph.json names: the graphs, bound to their user's scope, the store, and the HTTP app."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from fastapi import FastAPI
from langgraph.store.postgres import AsyncPostgresStore
from langgraph_api.utils import set_auth_ctx  # type: ignore[import-untyped]
from langgraph_sdk.runtime import ServerRuntime

from twofold.api.configured import apps, authenticator, settings
from twofold.api.guarded import Guarded
from twofold.api.http_app import build_app
from twofold.api.identity import scope_named
from twofold.api.redacted_query import RedactedQuery
from twofold.api.redacting import Redacting
from twofold.api.server_threads import ServerThreads
from twofold.api.serving import let_go, working
from twofold.api.threads import erase_threads_by
from twofold.graphs.read import ReadGraph, build_read
from twofold.graphs.write import WriteGraph, build_write
from twofold.memory.errors import NotAuthenticated
from twofold.memory.scope import Scope
from twofold.store.host_store import host_store


async def memory_write(runtime: ServerRuntime[None]) -> WriteGraph:
    """Return the graph that stores what a session says and what was done in it, for the user of this run."""
    scope = _scope(runtime)
    return build_write((await apps().here()).write_ports, bound=scope).compile()


async def memory_read(runtime: ServerRuntime[None]) -> ReadGraph:
    """Return the graph that recalls what is known for a query, for the user of this run."""
    scope = _scope(runtime)
    return build_read((await apps().here()).read_ports, bound=scope).compile()


@asynccontextmanager
async def make_store() -> AsyncIterator[AsyncPostgresStore]:
    """Open the memory of this loop and lend LangGraph's store on its database; the server enters this first."""
    app = await apps().here()
    try:
        async with host_store(app.database.url, app.models.embedder, ttl_days=app.settings.ttl_days) as store:
            yield store
    finally:
        if threading.current_thread() is threading.main_thread():
            await let_go(apps(), settings())
        else:  # a thread with a loop of its own; the server goes on
            await apps().close_here()


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    """Work on saves while the server runs."""
    async with working(settings()):
        yield


def _scope(runtime: ServerRuntime[None]) -> Scope:
    """Return whose memory a graph run is about. Raises NotAuthenticated: nothing that a client sends names it."""
    if runtime.user is None:
        raise NotAuthenticated("This graph runs for somebody who was authenticated: langgraph.json needs its `auth`")
    return scope_named(runtime.user.identity)


_redactor = settings().redactor
app = build_app(memory=apps().here, authenticator=authenticator(), redactor=_redactor, lifespan=lifespan)
erase_threads_by(app, ServerThreads)
app.add_middleware(Redacting, redactor=_redactor)
app.add_middleware(
    Guarded,
    authenticator=authenticator(),
    origins=settings().local_origins,
    forget=partial(set_auth_ctx, None, None),
)
app.add_middleware(RedactedQuery, redactor=_redactor)  # before what refuses, whose log tells the address too

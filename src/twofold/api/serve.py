"""The HTTP API alone, without a LangGraph server."""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress

import uvicorn
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from twofold.api.configured import apps, authenticator, settings
from twofold.api.http_app import build_app
from twofold.api.local_user import is_loopback
from twofold.api.serving import let_go, working
from twofold.memory.errors import SettingsInvalid

logger = logging.getLogger(__name__)

GRACE_SECONDS = 10


def serve(host: str, port: int) -> None:
    """Serve the routes of `/memory` until the process is told to stop, and work on saves if the settings say so.

    Raises SettingsInvalid for an address that others can reach while nothing tells them apart, StoreUnavailable,
    StoreUnsuitable and EmbedderMismatch if the memory cannot be opened.
    """
    if authenticator().is_local and not is_loopback(host):
        raise SettingsInvalid(
            f"host: {host} can be reached by others, and nothing tells who they are: set TWOFOLD_AUTH_ISSUER or"
            " TWOFOLD_SERVICE_KEYS, or serve 127.0.0.1"
        )
    with suppress(KeyboardInterrupt, asyncio.CancelledError):
        asyncio.run(_served(host, port))


async def _served(host: str, port: int) -> None:
    app = build_app(memory=apps().here, authenticator=authenticator(), lifespan=_lifespan)
    app.add_route("/ok", _ok)
    app.add_route("/openapi.json", _description)
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        lifespan="off",  # entered here, so that what cannot be opened is the caller's error
        log_config=None,
        log_level=logging.WARNING,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    opening = _ended_by_a_signal()
    async with app.router.lifespan_context(app):
        opening.close()
        _outlive_signals()
        logger.info("Serving on http://%s:%d", host, port)
        await uvicorn.Server(config).serve()


async def _ok(_: Request) -> Response:
    """Tell anybody that the server runs, as a LangGraph server does at the same address."""
    return JSONResponse({"ok": True})


async def _description(request: Request) -> Response:
    """Tell anybody how the routes are called."""
    return JSONResponse(request.app.openapi())


@asynccontextmanager
async def _lifespan(_: FastAPI) -> AsyncIterator[None]:
    try:
        await apps().here()
        async with working(settings()):
            yield
    finally:
        await let_go(apps(), settings())


def _ended_by_a_signal() -> ExitStack:
    """Have a signal to stop cancel this task, which lets go of everything, until the stack is closed."""
    ended, task, loop = ExitStack(), asyncio.current_task(), asyncio.get_running_loop()
    if task is not None and threading.current_thread() is threading.main_thread():
        loop.add_signal_handler(signal.SIGTERM, task.cancel)  # `asyncio.run` does it for an interrupt
        ended.callback(loop.remove_signal_handler, signal.SIGTERM)
    return ended


def _outlive_signals() -> None:
    """Let the signal that stops the server not end the process before everything is let go of.

    Uvicorn raises it again when it has stopped.
    """
    if threading.current_thread() is threading.main_thread():
        for stop in (signal.SIGINT, signal.SIGTERM):
            signal.signal(stop, lambda *_: None)

"""The HTTP API alone, without a LangGraph server."""

from __future__ import annotations

import asyncio
import errno
import logging
import signal
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager

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


def serve(host: str, port: int) -> int | None:
    """Serve the routes of `/memory` until the process is told to stop, and work on saves if the settings say so.

    Returns the signal that stopped it. Raises SettingsInvalid for an address that is in use or not of this machine,
    and for one that others can reach while nothing tells them apart; StoreUnavailable, StoreUnsuitable and
    EmbedderMismatch if the memory cannot be opened.
    """
    if authenticator().is_local and not is_loopback(host):
        raise SettingsInvalid(
            f"host: {host} can be reached by others, and nothing tells who they are: set TWOFOLD_AUTH_ISSUER or"
            " TWOFOLD_SERVICE_KEYS, or serve 127.0.0.1"
        )
    stopped = _Stopped()
    with _bound(host, port) as listening:
        try:
            asyncio.run(_served(listening, stopped))
        except KeyboardInterrupt:
            stopped.by = signal.SIGINT
        except asyncio.CancelledError:
            pass
    logger.info("Stopped")
    return stopped.by


class _Stopped:
    """The first signal that told this process to stop."""

    def __init__(self) -> None:
        self.by: int | None = None

    def note(self, number: int) -> None:
        self.by = self.by or number


class _Server(uvicorn.Server):
    """Says where it serves once it does, which is not where it was told to with port 0."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in sockets or ():
            logger.info("Serving on %s", _url(listening))


async def _served(listening: socket.socket, stopped: _Stopped) -> None:
    app = build_app(memory=apps().here, authenticator=authenticator(), redactor=settings().redactor, lifespan=_lifespan)
    app.add_route("/ok", _ok)
    app.add_route("/openapi.json", _description)
    config = uvicorn.Config(
        app,
        lifespan="off",  # entered here, so that what cannot be opened is the caller's error
        log_config=None,
        log_level=logging.WARNING,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    opening = _ended_by_a_signal(stopped)
    async with app.router.lifespan_context(app):
        opening.close()
        server = _Server(config)
        _stop_by_signals(server, stopped)
        await server.serve(sockets=[listening])


def _bound(host: str, port: int) -> socket.socket:
    """Return a socket that has the address, and does not listen yet. Raises SettingsInvalid."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError:
        raise SettingsInvalid(f"host: {host!r} is no address of this machine") from None
    family, _, _, _, address = min(found, key=lambda each: each[0] != socket.AF_INET)  # `localhost` is 127.0.0.1
    taken = socket.socket(family, socket.SOCK_STREAM)
    try:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # else a restart waits for old connections
        taken.bind(address)
    except OSError as error:
        taken.close()
        raise SettingsInvalid(_told(error, host, port)) from None
    return taken


def _told(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is in use: stop the other server or give --port"
    if error.errno == errno.EACCES:
        return f"port {port} is not for this user: give --port a number above 1023"
    return f"host: {host!r} is no address of this machine"


def _url(listening: socket.socket) -> str:
    host, port, *_ = listening.getsockname()
    return f"http://[{host}]:{port}" if listening.family == socket.AF_INET6 else f"http://{host}:{port}"


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


def _ended_by_a_signal(stopped: _Stopped) -> ExitStack:
    """Have a signal to stop cancel this task, which lets go of everything, until the stack is closed."""
    ended, task, loop = ExitStack(), asyncio.current_task(), asyncio.get_running_loop()

    def end(number: int) -> None:
        stopped.note(number)
        if task is not None:
            task.cancel()

    for number in _signals():
        if number != signal.SIGINT:  # `asyncio.run` does it for an interrupt
            loop.add_signal_handler(number, end, number)
            ended.callback(loop.remove_signal_handler, number)
    return ended


def _stop_by_signals(server: uvicorn.Server, stopped: _Stopped) -> None:
    """Have the signals that stop the server not end the process before everything is let go of.

    Uvicorn takes those it knows while it serves, and raises them again when it has stopped.
    """

    def stop(number: int, _: object) -> None:
        stopped.note(number)
        server.should_exit = True

    for number in _signals():
        signal.signal(number, stop)


def _signals() -> list[signal.Signals]:
    """Return the signals that stop this process: a closed terminal is one, but not under `nohup`."""
    if threading.current_thread() is not threading.main_thread():
        return []
    known = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    return [number for number in known if signal.getsignal(number) != signal.SIG_IGN]

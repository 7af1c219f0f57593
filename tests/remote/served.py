"""The real HTTP API on a real database, in a thread of the test's own process."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn
from fastapi import FastAPI

from twofold.api.apps import Apps
from twofold.api.authenticator import Authenticator
from twofold.api.http_app import build_app
from twofold.api.serving import working
from twofold.models.open import Models
from twofold.settings import Settings, load_settings

KEY = "the-key-of-the-tests-own-service"
SERVICES = {"tests": {"key": KEY}}
START_SECONDS = 30.0
# Long polls are under way when a test stops its server.
GRACE_SECONDS = 1


class Server(uvicorn.Server):
    """A server that runs in a thread and says where."""

    def __init__(self, app: FastAPI, port: int, **options: Any) -> None:
        self.bound = socket.socket()
        self.bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.bound.bind(("127.0.0.1", port))
        super().__init__(
            uvicorn.Config(app, ws="none", timeout_graceful_shutdown=GRACE_SECONDS, log_config=None, **options)
        )
        self._thread = threading.Thread(target=self.run, kwargs={"sockets": [self.bound]}, name="test-server")

    @property
    def port(self) -> int:
        """The port it was given, or found."""
        return int(self.bound.getsockname()[1])

    def start(self) -> None:
        """Wait until it answers."""
        self._thread.start()
        deadline = time.monotonic() + START_SECONDS
        while not self.started:
            assert self._thread.is_alive(), "the server did not start"
            assert time.monotonic() < deadline, "the server takes too long to start"
            time.sleep(0.01)

    def stop(self) -> None:
        """Wait until it is gone."""
        self.should_exit = True
        self._thread.join()
        self.bound.close()


@contextmanager
def served(
    database_url: str,
    models: Models,
    *,
    port: int = 0,
    services: Mapping[str, object] = SERVICES,
    **settings: object,
) -> Iterator[str]:
    """Serve a database with its worker, and lend the server's address; `settings` are those of `load_settings`."""
    chosen = load_settings(database_url=database_url, service_keys=services, **settings)
    server = Server(api(chosen, models), port)
    server.start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.stop()


def api(settings: Settings, models: Models) -> FastAPI:
    """Return the API as `twofold serve` composes it, with models that need no network."""
    apps = Apps(lambda: settings, models=models)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await apps.here()
        try:
            async with working(settings, models=models):
                yield
        finally:
            await apps.close_here()

    return build_app(memory=apps.here, authenticator=Authenticator(settings), lifespan=lifespan)

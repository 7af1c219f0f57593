"""No request that Schemathesis can think of gets an answer that the description does not announce."""

import asyncio
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI

from tests.http.callers import Tokens
from twofold.api.http_app import build_app
from twofold.app import MemoryApp
from twofold.testing import memory_app

HERE = Path(__file__).parent
EXAMPLES = 10
"""For each operation and phase; more find no more here, and take longer."""


class Announced(uvicorn.Server):
    """A server that says when it listens, and where."""

    def __init__(self, web: FastAPI, listens: Callable[[int], None]) -> None:
        super().__init__(uvicorn.Config(web, port=0, log_level="critical", lifespan="off"))
        self._listens = listens

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._listens(self.servers[0].sockets[0].getsockname()[1])


class Api:
    """The API with its worker, served on a free port of this machine by a thread of its own."""

    def __init__(self, database_url: str) -> None:
        self._database_url = database_url
        self._up = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="api-under-test")
        self.description: dict[str, Any] = {}
        self.port = 0

    def start(self) -> None:
        self._thread.start()
        assert self._up.wait(30)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(30)

    async def _serve(self) -> None:
        async with memory_app(self._database_url, settle_seconds=0) as app, app.working():

            async def opened() -> MemoryApp:
                return app

            web = build_app(memory=opened, authenticator=Tokens())
            self.description = web.openapi()
            self._server = Announced(web, self._listens)
            await self._server.serve()

    def _listens(self, port: int) -> None:
        self.port = port
        self._up.set()


@pytest.fixture
def api(prepared_url: str) -> Iterator[Api]:
    """Run the API."""
    api = Api(prepared_url)
    api.start()
    yield api
    api.stop()


def as_a_person_in_haste(description: dict[str, Any]) -> dict[str, Any]:
    """Leave out the headers by which a service names whom it acts for, and the wait for a save.

    A person's token needs none of the first, and Schemathesis would wait half a minute at a time.
    """
    copy: dict[str, Any] = json.loads(json.dumps(description))
    for operations in copy["paths"].values():
        for operation in operations.values():
            kept = (one for one in operation["parameters"] if "$ref" not in one)
            operation["parameters"] = [one for one in kept if one["name"] != "wait"]
    return copy


@pytest.mark.timeout(300)
def test_the_api_keeps_to_its_description(api: Api, tmp_path: Path) -> None:
    description = tmp_path / "openapi.json"
    description.write_text(json.dumps(as_a_person_in_haste(api.description)))
    command = [
        *(sys.executable, "-P", str(HERE / "schemathesis_cli.py")),
        *("--config-file", str(HERE / "schemathesis.toml")),
        *("run", str(description), "--url", f"http://127.0.0.1:{api.port}"),
        *("--max-examples", str(EXAMPLES), "--generation-deterministic", "--no-color"),
        "--no-shrink",  # to make a failure small takes it up to five minutes
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert f"Tested: {sum(map(len, api.description['paths'].values()))}" in done.stdout

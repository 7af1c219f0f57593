"""ADK's own servers as a user starts them, and a person who talks to them over HTTP."""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import psycopg
from psycopg import conninfo

from twofold.memory.scope import Kind, Scope, namespace

START_SECONDS = 60.0
STORED_SECONDS = 10.0
ADK = Path(sys.executable).with_name("adk")

# As they stand in docs/how-to/adk-servers.md; a test holds the two together.
WEB = "adk web --memory_service_uri twofold:/// --extra_plugins twofold.adk.MemoryPlugin examples/agents"
WEB_DATABASE = (
    "adk web --memory_service_uri 'twofold+postgresql://user:password@host/database'"
    " --extra_plugins twofold.adk.MemoryPlugin examples/agents"
)
API_SERVER = "adk api_server --memory_service_uri twofold:/// --extra_plugins twofold.adk.MemoryPlugin examples/agents"
WEB_ONE = "adk web --memory_service_uri twofold:/// examples/agents/month_end"
RUN = "adk run --memory_service_uri twofold:/// examples/agents/month_end"
RUN_ONCE = 'adk run --memory_service_uri twofold:/// examples/agents/month_end "Why did the last close fail?"'
RUN_CLOSE = (
    "adk run --memory_service_uri twofold:/// examples/agents/month_end"
    ' "Close the US Primary Ledger for March 2026, CORP asset book."'
)
RUN_TENANT = "adk run --memory_service_uri 'twofold:///?tenant=acme' examples/agents/month_end"

FACT = "I work with the US Primary Ledger and prefer reports as a table."
CLOSE = "Close the US Primary Ledger for March 2026, CORP asset book."
WHY = "Why did the last close fail?"
REASON = "FAILURE: open subledgers exist"


def arguments(command: str, *, uri: str | None = None) -> list[str]:
    """Return a documented command as a process takes it; `uri` stands in for the memory's address."""
    words = shlex.split(command)
    if uri:
        words[words.index("--memory_service_uri") + 1] = uri
    return [str(ADK), *words[1:]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Someone who talks to one agent on a server; each conversation is a session of its own."""

    http: httpx.Client
    user_id: str = "anna"
    app: str = "month_end"

    def session(self, session_id: str) -> None:
        """Begin a session."""
        path = f"/apps/{self.app}/users/{self.user_id}/sessions"
        self.http.post(path, json={"sessionId": session_id}).raise_for_status()

    def say(self, session_id: str, text: str, *, new: bool = True) -> str:
        """Say something in a session and return the last text of the answer."""
        if new:
            self.session(session_id)
        answer = self.http.post("/run", json=self._message(session_id, text)).raise_for_status()
        return last_text(answer.json())

    def say_streamed(self, session_id: str, text: str) -> str:
        """Say something in a new session and read the answer as it is streamed."""
        self.session(session_id)
        body = {**self._message(session_id, text), "streaming": True}
        with self.http.stream("POST", "/run_sse", json=body) as answer:
            lines = [line.removeprefix("data:") for line in answer.iter_lines() if line.startswith("data:")]
        return last_text([json.loads(line) for line in lines])

    def save(self, session_id: str) -> httpx.Response:
        """Have a session added to memory, as ADK's route does it."""
        return self.http.patch(f"/apps/{self.app}/users/{self.user_id}/memory", json={"sessionId": session_id})

    def _message(self, session_id: str, text: str) -> dict[str, Any]:
        message = {"role": "user", "parts": [{"text": text}]}
        return {"appName": self.app, "userId": self.user_id, "sessionId": session_id, "newMessage": message}


def last_text(events: list[dict[str, Any]]) -> str:
    """Return the last text of an answer."""
    parts = [part for event in events for part in (event.get("content") or {}).get("parts", [])]
    return next((part["text"] for part in reversed(parts) if part.get("text")), "")


@dataclass(slots=True, kw_only=True)
class AdkServer:
    """A running server."""

    process: subprocess.Popen[bytes]
    url: str
    log: Path
    http: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        """Open the connection its people share."""
        # No connection is used twice: after an error uvicorn closes one that looks alive.
        self.http = httpx.Client(base_url=self.url, timeout=30, limits=httpx.Limits(max_keepalive_connections=0))

    def person(self, user_id: str = "anna", *, app: str = "month_end") -> Person:
        """Return someone who talks to this server."""
        return Person(http=self.http, user_id=user_id, app=app)

    def stop(self, how: signal.Signals) -> None:
        """Send a signal and wait until the process is gone."""
        self.http.close()
        self.process.send_signal(how)
        self.process.wait(30)


@contextmanager
def running(command: list[str], *, cwd: Path, environment: Mapping[str, str], log: Path) -> Iterator[AdkServer]:
    """Run `adk web` or `adk api_server` until it answers, and stop it at the end."""
    port = _free_port()
    command = [*command[:2], "--port", str(port), *command[2:]]
    with log.open("ab") as out, subprocess.Popen(command, cwd=cwd, env=environment, stdout=out, stderr=out) as process:
        try:
            server = AdkServer(process=process, url=f"http://127.0.0.1:{port}", log=log)
            _answering(server)
            yield server
        finally:
            if process.poll() is None:
                server.stop(signal.SIGTERM)


def _answering(server: AdkServer) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.process.poll() is None:
        try:
            if server.http.get("/health").is_success:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError(server.log.read_text()[-4000:])


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def ended(
    command: list[str], *, cwd: Path, environment: Mapping[str, str], typed: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, with what is typed meanwhile."""
    return subprocess.run(
        command, cwd=cwd, env=environment, input=typed, capture_output=True, text=True, timeout=60, check=False
    )


def environment_of(home: Path, **settings: str) -> dict[str, str]:
    """Return the environment of a user with this home; saves settle at once unless a setting says otherwise."""
    return {
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",  # root's embedded server needs `useradd`
        "TMPDIR": str(home),
        "PYTHONDONTWRITEBYTECODE": "1",
        "XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"],  # noqa: TID251 - the lock of the embedded server
        "TWOFOLD_DATA_FOLDER": str(home / "data"),
        "TWOFOLD_SETTLE_SECONDS": "0",
        **settings,
    }


def url_of(settings: str) -> str:
    """Return connection settings as the URL a user writes."""
    parameters = conninfo.conninfo_to_dict(settings)
    database = parameters.pop("dbname")
    return f"postgresql:///{database}?{urlencode(parameters, quote_via=quote)}"


def address_of(settings: str, *, tenant: str | None = None) -> str:
    """Return connection settings as the address of a memory service."""
    return f"twofold+{url_of(settings)}" + (f"&tenant={tenant}" if tenant else "")


def stored(database_url: str, kind: Kind, *, user_id: str = "anna", tenant: str = "month_end") -> list[str]:
    """Return the memories of a person as they lie in the database, none where there are no tables yet."""
    prefix = ".".join(namespace(Scope(tenant_id=tenant, user_id=user_id), kind))
    with psycopg.connect(database_url) as connection:
        try:
            rows = connection.execute("SELECT value ->> 'text' FROM store WHERE prefix = %s", (prefix,)).fetchall()
        except psycopg.errors.UndefinedTable:
            return []
    return [text for (text,) in rows]


def stored_at_last(database_url: str, kind: Kind, *, user_id: str = "anna", tenant: str = "month_end") -> list[str]:
    """Wait until something is stored of a person, and return it."""
    deadline = time.monotonic() + STORED_SECONDS
    while not (found := stored(database_url, kind, user_id=user_id, tenant=tenant)):
        assert time.monotonic() < deadline, f"nothing was stored of {user_id}"
        time.sleep(0.05)
    return found

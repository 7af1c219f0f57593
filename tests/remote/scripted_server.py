"""An HTTP server that answers as it is told, for what a real one does rarely: hang, fail, redirect, be another's."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NOTHING: dict[str, object] = {"facts": [], "episodes": []}
ACCEPTED = {"session_id": "s", "revision": 1}
STORED = {**ACCEPTED, "stored": True, "given_up": False, "error": ""}
HEALTH = {"extractor": "e", "embedder": "m", "waiting": 0, "failed": 0, "oldest_at": None}


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer; one that hangs comes when the server is stopped."""

    status: int = 200
    body: object = None
    headers: dict[str, str] = field(default_factory=dict)
    hangs: bool = False


@dataclass(frozen=True, slots=True)
class Got:
    """One request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """Its body."""
        return json.loads(self.body)


class ScriptedServer:
    """Gives its replies in order, then the last of them again; health and other questions are answered as they are."""

    def __init__(self, replies: list[Reply]) -> None:
        self.got: list[Got] = []
        self._replies = replies
        self._over = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self._answer))
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def asked(self, path: str) -> list[Got]:
        """Return the requests to a path."""
        return [got for got in self.got if got.path.partition("?")[0] == path]

    @contextmanager
    def running(self) -> Iterator[ScriptedServer]:
        """Serve while the context lasts."""
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield self
        finally:
            self._over.set()
            self._server.shutdown()
            thread.join()
            self._server.server_close()

    def _answer(self, got: Got) -> Reply:
        if got.path.endswith("/memory/health"):
            return Reply(body=HEALTH)
        self.got.append(got)
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        if reply.hangs:
            self._over.wait()
        return reply


def _handler(answer: Callable[[Got], Reply]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def _serve(self) -> None:
            length = int(self.headers.get("content-length", 0))
            reply = answer(Got(self.command, self.path, dict(self.headers.items()), self.rfile.read(length)))
            body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            with suppress(ConnectionError):  # who asked may have given up
                self.send_response(reply.status)
                for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        do_GET = do_POST = do_DELETE = _serve  # noqa: N815 - as the base class names them

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler

"""A server that speaks OpenAI's wire format: chat completions with tools, embeddings, models, and their faults."""

from __future__ import annotations

import json
import struct
from base64 import b64encode
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any, Self, cast

from twofold.testing.models import word_vector
from twofold.testing.openai_replies import EMBEDDINGS, Reply, default_calls

_USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
_DIMS = 1536


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request as it arrived: header names in lower case, `tools` the names of the tools it offers."""

    path: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    tools: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All messages of a chat request, one after the other."""
        return "\n".join(str(message.get("content") or "") for message in self.body.get("messages", ()))


@dataclass(slots=True)
class _Script:
    once: deque[Reply] = field(default_factory=deque)
    always: Reply | None = None


class OpenAIDouble:
    """An OpenAI-compatible server on this machine, for as long as the `with` block lasts.

    Without a script each new user line becomes a `Memory`, any other tool is filled from the conversation,
    and embeddings are word vectors of the asked length. A script belongs to a tool, or to `"embeddings"`, so
    that concurrent requests get the right replies in any order.
    """

    def __init__(self) -> None:
        """Nothing is opened yet."""
        self.requests: list[Request] = []
        self.base_url = ""
        self._scripts: dict[str, _Script] = defaultdict(_Script)
        self._lock = Lock()
        self._closing = Event()
        self._server: _Server | None = None

    def script(self, tool: str, *replies: Reply) -> None:
        """Give these replies, once each and in order, to requests that offer `tool`."""
        with self._lock:
            self._scripts[tool].once.extend(replies)

    def always(self, tool: str, reply: Reply) -> None:
        """Give this reply to every request that offers `tool`, once its scripted ones are used up."""
        with self._lock:
            self._scripts[tool].always = reply

    def asked(self, tool: str) -> list[Request]:
        """Return the requests that offered `tool`, or those for `"embeddings"`."""
        with self._lock:
            return [each for each in self.requests if tool in each.tools or each.path.endswith(f"/{tool}")]

    def __enter__(self) -> Self:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.double = self
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        Thread(target=self._server.serve_forever, args=(0.05,), name="openai-double", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._closing.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def answer(self, request: Request) -> Reply:
        """Record a request and return the reply it gets."""
        with self._lock:
            self.requests.append(request)
            reply = self._scripted(request)
        if reply.seconds:
            self._closing.wait(reply.seconds)
        return reply

    def _scripted(self, request: Request) -> Reply:
        for name in (*request.tools, request.path.rpartition("/")[2]):
            script = self._scripts.get(name)
            if script and script.once:
                return script.once.popleft()
            if script and script.always:
                return script.always
        return Reply()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    double: OpenAIDouble

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: clients that time out close the connection in the middle of a reply."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # otherwise each reply waits 40 ms for an acknowledgement
    wbufsize = -1

    def do_GET(self) -> None:  # the name is http.server's
        """Answer `/v1/models`."""
        self._answer({})

    def do_POST(self) -> None:  # the name is http.server's
        """Answer `/v1/chat/completions` and `/v1/embeddings`."""
        self._answer(json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}"))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is http.server's
        """Say nothing."""

    def _answer(self, body: dict[str, Any]) -> None:
        tools = tuple(tool["function"]["name"] for tool in body.get("tools", ()))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(path=self.path, body=body, headers=headers, tools=tools)
        reply = cast(_Server, self.server).double.answer(request)
        if reply.dropped:
            self.close_connection = True
            return
        content = reply.raw if reply.raw is not None else json.dumps(_body(request, reply)).encode()
        self.send_response(reply.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()


def _body(request: Request, reply: Reply) -> Mapping[str, object]:
    if reply.status != HTTPStatus.OK:
        return {"error": {"message": reply.text or "scripted fault", "type": "scripted", "code": None}}
    if request.path.endswith("/chat/completions"):
        return _completion(request, reply)
    if request.path.endswith(f"/{EMBEDDINGS}"):
        return _embeddings(request.body)
    return {"object": "list", "data": [{"id": "double", "object": "model", "created": 0, "owned_by": "twofold"}]}


def _completion(request: Request, reply: Reply) -> Mapping[str, object]:
    calls = reply.calls
    if calls is None and not reply.text:
        calls = default_calls(request.body.get("tools", ()), request.text)
    message: dict[str, object] = {"role": "assistant", "content": reply.text or (None if calls else "ok")}
    if calls:
        message["tool_calls"] = [
            {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": _arguments(args)}}
            for number, (name, args) in enumerate(calls, start=1)
        ]
    finish = reply.finish or ("tool_calls" if calls else "stop")
    return {
        "id": "chatcmpl-double",
        "object": "chat.completion",
        "created": 0,
        "model": request.body.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": _USAGE,
    }


def _arguments(arguments: object) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _embeddings(body: Mapping[str, Any]) -> Mapping[str, object]:
    asked = body.get("input", "")
    texts: Sequence[object] = [asked] if isinstance(asked, str) else asked
    dims = int(body.get("dimensions") or _DIMS)
    vectors = [word_vector(str(text), dims) for text in texts]
    if body.get("encoding_format") == "base64":
        shown: list[object] = [b64encode(struct.pack(f"<{dims}f", *vector)).decode() for vector in vectors]
    else:
        shown = [list(vector) for vector in vectors]
    return {
        "object": "list",
        "model": body.get("model", ""),
        "data": [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(shown)],
        "usage": _USAGE,
    }

"""What reaches a LangGraph server's routes holds no secret, and is otherwise what was sent."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message, Receive, Scope, Send

from tests.unit.api.connections import scope_of
from twofold.api.redacting import MOST_BYTES, Redacting, redacted_body
from twofold.memory.redaction import Redactor

SECRET = "hunter2hunter2"
SAID = f"my password is {SECRET}"
THREAD = "01a22d77-37eb-74ae-a68b-9e423912a235"
CHECKPOINT = "1f0e9c1a-7c1e-6b2a-8001-3d1f6c2b9a10"


class Routes:
    """Routes that note what reaches them."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.headers: dict[str, str] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        body = b""
        more = True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        self.bodies.append(body)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})


async def sent(body: Any, *, path: str = "/threads", pieces: int = 1, **changes: Any) -> tuple[int, Routes]:
    """Send a body through the middleware; return the status and the routes that may have got it."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    size = max(1, -(-len(raw) // pieces))
    messages: list[Message] = [
        {"type": "http.request", "body": raw[at : at + size], "more_body": at + size < len(raw)}
        for at in range(0, max(1, len(raw)), size)
    ]
    answers: list[Message] = []
    routes = Routes()
    scope = scope_of({"Content-Length": str(len(raw))}, method="POST", path=path, **changes)
    await Redacting(routes)(scope, _receiving(messages), _collecting(answers))
    return answers[0]["status"], routes


def _receiving(messages: Sequence[Message]) -> Receive:
    waiting = list(messages)

    async def receive() -> Message:
        return waiting.pop(0) if waiting else {"type": "http.disconnect"}

    return receive


def _collecting(answers: list[Message]) -> Send:
    async def send(message: Message) -> None:
        answers.append(message)

    return send


@pytest.mark.parametrize(
    "body",
    [
        {"assistant_id": "memory_write", "input": {"entries": [{"text": SAID}]}},
        {"input": {"entries": [{"payload": {"password": SECRET}}]}},
        {"values": {"entries": [{"text": SAID}]}, "as_node": "redact"},
        {"supersteps": [{"updates": [{"values": {"entries": [{"text": SAID}]}, "as_node": "__input__"}]}]},
        {"command": {"resume": SAID}, "assistant_id": "memory_write"},
        {"command": {"update": {"query": SAID}}},
        {"context": {"api_key": SECRET}},
        {"config": {"configurable": {"password": SECRET}, "tags": [SAID], "metadata": {"note": SAID}}},
        {"metadata": {"password": SECRET, "note": SAID}},
        {"schedule": "* * * * *", "input": {"query": SAID}},
        {"id": 1, "method": "run.start", "params": {"input": {"query": SAID}}},
        {"something": {"of": [{"a later server": SAID}]}},
        [{"assistant_id": "memory_read", "input": {"query": SAID}}, {"input": {"query": SAID}}],
        SAID,
    ],
    ids=str,
)
async def test_a_secret_is_taken_out_wherever_it_stands(body: Any) -> None:
    status, routes = await sent(body)
    assert status == 200
    [reached] = routes.bodies
    assert SECRET not in reached.decode()
    assert b"[redacted: " in reached
    assert routes.headers["content-length"] == str(len(reached))


@pytest.mark.parametrize("action", ["keep", "mask", "drop"])
def test_the_policy_says_what_happens_to_a_kind(action: str) -> None:
    body = {"input": {"query": "my pin is 4711", "pin": 4711, "note": SAID}}
    redacted = redacted_body(json.dumps(body).encode(), Redactor.of({"pin": action})).decode()
    assert ("4711" in redacted) is (action == "keep")
    assert ("[redacted: pin]" in redacted) is (action == "mask")
    assert "[redacted: password]" in redacted


UNTOUCHED = {
    "assistant_id": "memory_write",
    "thread_id": THREAD,
    "ids": [THREAD],
    "checkpoint_id": CHECKPOINT,
    "checkpoint": {"thread_id": THREAD, "checkpoint_ns": "", "checkpoint_id": CHECKPOINT, "checkpoint_map": {}},
    "as_node": "__input__",
    "stream_mode": ["updates", "values"],
    "multitask_strategy": "enqueue",
    "if_exists": "do_nothing",
    "on_completion": "keep",
    "after_seconds": 1,
    "ttl": {"strategy": "delete", "ttl": 10080},
    "schedule": "0 3 * * *",
    "end_time": "2026-12-31T00:00:00Z",
    "timezone": "Europe/Berlin",
    "interrupt_before": "*",
    "metadata": {"graph_id": "memory_write"},
    "input": {"session_id": "s1", "entries": [{"event_id": "u1", "at": "2026-04-01T12:00:00Z", "text": "Grüße \\ 中"}]},
    "config": {"configurable": {"checkpoint_id": CHECKPOINT, "thread_id": THREAD}, "recursion_limit": 25},
}


async def test_what_holds_no_secret_arrives_as_it_was() -> None:
    _, routes = await sent(UNTOUCHED, pieces=7)
    assert json.loads(routes.bodies[0]) == UNTOUCHED


@given(st.uuids(), st.sampled_from(["thread_id", "checkpoint_id", "before", "key", "name"]))
def test_an_id_stays_as_it_is(some: UUID, name: str) -> None:
    for text in (str(some), some.hex):
        body = {name: text, "config": {"configurable": {name: text}}, "values": {"s": [text]}}
        assert json.loads(redacted_body(json.dumps(body).encode())) == body


@pytest.mark.parametrize(
    "body",
    [b"{", b"\xff\xfe", b"a=b", b'{"a": ' * 3000 + b"1" + b"}" * 3000, b'{"n": ' + b"9" * 5000 + b"}"],
    ids=lambda body: body[:8],
)
async def test_what_cannot_be_read_reaches_no_route(body: bytes) -> None:
    status, routes = await sent(body)
    assert (status, routes.bodies) == (422, [])


@pytest.mark.parametrize("told", [True, False], ids=["told", "not told"])
async def test_a_body_that_is_too_large_reaches_no_route(*, told: bool) -> None:
    raw = b'"' + b"x" * MOST_BYTES + b'"'
    routes, answers = Routes(), list[Message]()
    headers = {"Content-Length": str(len(raw))} if told else {"Transfer-Encoding": "chunked"}
    half = len(raw) // 2
    pieces: list[Message] = [
        {"type": "http.request", "body": raw[:half], "more_body": True},
        {"type": "http.request", "body": raw[half:], "more_body": False},
    ]
    await Redacting(routes)(scope_of(headers, method="POST"), _receiving(pieces), _collecting(answers))
    assert (answers[0]["status"], routes.bodies) == (413, [])


async def test_an_empty_body_is_let_through() -> None:
    status, routes = await sent(b"", path="/threads/x/copy")
    assert (status, routes.bodies) == (200, [b""])


@pytest.mark.parametrize("changes", [{"path": "/memory/sessions"}, {"path": "/x/memory", "root_path": "/x"}], ids=str)
async def test_our_own_routes_read_what_was_sent(changes: dict[str, Any]) -> None:
    _, routes = await sent({"text": SAID}, **changes)
    assert SECRET in routes.bodies[0].decode()


async def test_who_leaves_before_the_end_is_not_waited_for() -> None:
    routes, answers = Routes(), list[Message]()
    begun: list[Message] = [{"type": "http.request", "body": b'{"input": ', "more_body": True}]
    await Redacting(routes)(scope_of(method="POST"), _receiving(begun), _collecting(answers))
    assert routes.bodies == []

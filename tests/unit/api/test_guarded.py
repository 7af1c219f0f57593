"""Nothing of a LangGraph server but its public addresses is reached without a caller."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.requests import HTTPConnection
from starlette.types import Message, Receive, Scope, Send

from tests.callers import bearer
from tests.unit.api.connections import scope_of
from twofold.api.caller import IDENTITY
from twofold.api.guarded import Guarded
from twofold.api.identity import LOCAL, Identity
from twofold.memory.errors import IssuerUnavailable, NotAllowed, NotAuthenticated

STUDIO = "https://smith.langchain.com"


class OneToken:
    """Knows one token, and has no opinion while its issuer is down."""

    async def identity(self, conn: HTTPConnection) -> Identity:
        match conn.headers.get("authorization"):
            case "Bearer good":
                return Identity(scope=LOCAL)
            case "Bearer down":
                raise IssuerUnavailable("The issuer is down")
            case "Bearer other":
                raise NotAllowed("Not this one")
            case _:
                raise NotAuthenticated("Nobody is known")


async def reached(token: str | None = None, **changes: Any) -> tuple[list[Message], list[Scope], list[str]]:
    """Send a request; return the answer, the scopes that got through, and what was forgotten before."""
    through, answers, forgotten = list[Scope](), list[Message](), list[str]()

    async def routes(scope: Scope, receive: Receive, send: Send) -> None:
        through.append(scope)

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        answers.append(message)

    guarded = Guarded(routes, authenticator=OneToken(), origins=[STUDIO], forget=lambda: forgotten.append("user"))
    headers = {"Origin": STUDIO, **(bearer(token) if token else {})}
    await guarded(scope_of(headers, **changes), receive, send)
    return answers, through, forgotten


async def test_a_caller_gets_through_with_an_identity_and_without_that_of_an_earlier_request() -> None:
    answers, [scope], forgotten = await reached("good")
    assert (answers, scope[IDENTITY], forgotten) == ([], Identity(scope=LOCAL), ["user"])


@pytest.mark.parametrize(("token", "status"), [(None, 401), ("bad", 401), ("other", 403), ("down", 503)], ids=str)
async def test_anybody_else_is_refused_in_a_way_that_studio_can_read(token: str | None, status: int) -> None:
    [start, body], through, _ = await reached(token)
    headers = dict(start["headers"])
    assert (start["status"], through) == (status, [])
    assert headers[b"access-control-allow-origin"] == STUDIO.encode()
    assert b"detail" in body["body"]


@pytest.mark.parametrize("path", ["/", "/ok", "/info", "/metrics", "/docs", "/openapi.json", "/memory", "/memory/x"])
async def test_public_addresses_and_our_own_are_left_to_themselves(path: str) -> None:
    _, [scope], _ = await reached(path=path)
    assert IDENTITY not in scope


async def test_a_browser_may_ask_whether_it_may_ask() -> None:
    _, through, _ = await reached(method="OPTIONS")
    assert through


@pytest.mark.parametrize(
    "path", ["/internal/truncate", "/internal/debug/thread/x", "/deploy", "/deploy/x/stream", "/ui"]
)
@pytest.mark.parametrize("changes", [{}, {"root_path": "/mounted"}], ids=str)
async def test_what_the_server_keeps_for_its_makers_is_closed_to_everybody(path: str, changes: dict[str, Any]) -> None:
    answers, through, _ = await reached("good", path=changes.get("root_path", "") + path, **changes)
    assert (answers[0]["status"], through) == (404, [])


@pytest.mark.parametrize("path", ["/okay", "/ok/", "//ok", "/memories", "/threads", "/store/items", "/mcp", "/a2a/x"])
async def test_an_address_that_only_looks_public_is_guarded(path: str) -> None:
    answers, through, _ = await reached(path=path)
    assert (answers[0]["status"], through) == (401, [])


async def test_a_websocket_needs_a_caller_too() -> None:
    answers, through, _ = await reached(type="websocket", path="/threads/x/stream/events")
    assert through == []
    assert answers[0]["type"].startswith("websocket.")
    assert (await reached("good", type="websocket", path="/threads/x/stream/events"))[1]

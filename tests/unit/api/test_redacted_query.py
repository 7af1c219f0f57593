"""What writes a request to a log is handed a query without secrets."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from tests.unit.api.connections import scope_of
from twofold.api.redacted_query import RedactedQuery, redacted_query
from twofold.api.routes.cursor import cursor_of
from twofold.memory.memories import Position
from twofold.memory.redaction import Redactor

SECRET = "zebra9Quartz7canary"
SAID = f"My password is {SECRET}"
HIDDEN = "My password is [redacted: password]"


async def handed_on(query: bytes, **changes: Any) -> Scope:
    """Send a request with a query; return the scope that comes through."""
    through: list[Scope] = []

    async def routes(scope: Scope, receive: Receive, send: Send) -> None:
        through.append(scope)

    async def nothing(*_: Any) -> Any: ...

    await RedactedQuery(routes)(scope_of(query_string=query, **changes), nothing, nothing)
    [scope] = through
    return scope


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    ("query", "read"),
    [
        (urlencode({"text": SAID, "limit": 0}), [("text", HIDDEN), ("limit", "0")]),
        (f"limit=0&text=my%20password%20is%20{SECRET}", [("limit", "0"), ("text", HIDDEN.replace("My", "my"))]),
        (urlencode([("text", SAID), ("text", SAID), ("a", "ä&=+")]), [("text", HIDDEN)] * 2 + [("a", "ä&=+")]),
        (f"password={SECRET}&x=", [("password", "[redacted: password]"), ("x", "")]),
        (urlencode({SAID: "x"}), [(HIDDEN, "x")]),
        (f"my+password+is+{SECRET}", [(HIDDEN.replace("My", "my"), "")]),
        (f"text=%FF+password+is+{SECRET}", [("text", "\ufffd password is [redacted: password]")]),
        (f"text=ä+password+is+{SECRET}", [("text", "Ã¤ password is [redacted: password]")]),  # as Starlette reads it
        (f"text=%7B%22api_key%22%3A%22{SECRET}%22%7D", [("text", '{"api_key": "[redacted: api key]"}')]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_each_secret_of_a_query_is_redacted_and_all_else_is_read_as_before(
    query: str, read: list[tuple[str, str]], kind: str
) -> None:
    scope = await handed_on(query.encode(), type=kind)
    assert SECRET.encode() not in scope["query_string"]
    assert parse_qsl(scope["query_string"].decode("ascii"), keep_blank_values=True) == read


CURSOR = cursor_of(
    Position(at=datetime(2026, 3, 1, tzinfo=UTC), key="sk-proj-Ab12Cd34Ef56Gh78Ij90", kind="semantic"), ()
)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "&&a&b=&=c",
        "text=ledger%20US+primary&text=%C3%A4&limit=10",
        "since=2026-03-01T12%3A00%3A00Z&until=2026-03-01T12:00:00%2B01:00",
        f"cursor={CURSOR}",
        "cursor=eyJ-sk-Ab12Cd34Ef56Gh78Ij90Kl12Mn34",
        "thread_id=7ad2b8a0-2f0e-5c55-9d57-2f0b5a3c1e10&stream_mode=values&limit=1",
        "text=%FF%FE&text=\xff",
    ],
)
async def test_a_query_without_a_secret_is_handed_on_byte_for_byte(query: str) -> None:
    """Also a cursor, in whose letters one could be seen."""
    raw = query.encode("latin-1")
    assert (await handed_on(raw))["query_string"] == raw


async def test_whoever_reads_the_scope_after_the_answer_sees_no_secret_either() -> None:
    """A server that logs a connection when it is over has the scope that it made itself."""
    made = scope_of(query_string=urlencode({"text": SAID}).encode())

    async def routes(scope: Scope, receive: Receive, send: Send) -> None:
        assert Request(scope).query_params["text"] == HIDDEN

    async def nothing(*_: Any) -> Any: ...

    await RedactedQuery(routes)(made, nothing, nothing)
    assert SECRET.encode() not in made["query_string"]


@pytest.mark.parametrize(
    ("action", "query"),
    [("keep", b"a=1&pin=4711&note=my+pin+is+4711"), ("drop", b"a=1&pin=&note=my+"), ("mask", None)],
)
async def test_the_policy_says_what_happens_to_a_kind(action: str, query: bytes | None) -> None:
    given = b"a=1&pin=4711&note=my+pin+is+4711"
    redacted = redacted_query(given, Redactor.of({"pin": action}))
    assert redacted == (query if query is not None else redacted_query(given))
    assert redacted_query(redacted, Redactor.of({"pin": action})) == redacted


async def test_what_is_no_request_is_left_alone() -> None:
    async def nothing(*_: Any) -> Any: ...

    await RedactedQuery(nothing)({"type": "lifespan"}, nothing, nothing)

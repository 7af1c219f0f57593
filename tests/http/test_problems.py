"""Whatever goes wrong is a problem that says what to do, and tells nothing that is not the caller's."""

import json
import logging
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Mount

from tests.http.callers import Tokens
from tests.http.conftest import As
from tests.http.samples import add, problem, said, session
from twofold.api.body_limit import MOST_BYTES
from twofold.api.http_app import build_app
from twofold.app import MemoryApp
from twofold.memory.errors import StoreUnavailable

JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    ("caller", "status", "title"),
    [
        ("nobody", 401, "Not authenticated"),
        ("banned", 403, "Not allowed"),
        ("unknowable", 503, "Store unavailable"),
    ],
)
@pytest.mark.parametrize("path", ["/memory", "/memory/health", "/memory/nowhere/at/all", "/memory/"])
async def test_who_is_not_let_in_learns_nothing_else(
    as_person: As, path: str, caller: str, status: int, title: str
) -> None:
    answer = await as_person(caller).get(path)
    told = problem(answer, status)
    assert told["title"] == title
    assert "10.1.2.3" not in answer.text
    assert answer.headers.get("www-authenticate") == ("Bearer" if status == 401 else None)
    assert answer.headers.get("retry-after") == ("5" if status == 503 else None)


async def test_nothing_is_done_before_the_caller_is_known(as_person: As) -> None:
    problem(await as_person("nobody").post("/memory/search", content=b"{"), 401)


async def test_a_preflight_needs_no_caller_and_reaches_nothing(as_person: As) -> None:
    asks = {"access-control-request-method": "DELETE"}
    problem(await as_person("nobody").options("/memory", headers=asks), 405)
    problem(await as_person("nobody").options("/memory"), 401)


@pytest.mark.parametrize(
    ("body", "headers", "status", "field"),
    [
        (b"{", JSON, 400, "body"),
        (b"[" * 100_000, JSON, 400, None),
        (b'{"query": "\xff"}', JSON, 400, None),
        (b"", JSON, 422, "body"),
        (b"null", JSON, 422, "body"),
        (b"[]", JSON, 422, "body"),
        (b'{"query": "x"}', {"content-type": "text/plain"}, 422, "body"),
        (b'{"query": "x"}', {}, 422, "body"),
        (b'{"Query": "x"}', JSON, 422, "query"),
        (b'{"query": "x", "password: hunter22": 1}', JSON, 422, "password: hunter22"),
    ],
)
async def test_a_body_that_is_no_question_is_refused(
    anna: httpx.AsyncClient, body: bytes, headers: dict[str, str], status: int, field: str | None
) -> None:
    told = problem(await anna.post("/memory/search", content=body, headers=headers), status)
    assert told.get("field") == field


async def test_a_refusal_never_repeats_a_text(anna: httpx.AsyncClient) -> None:
    for memories in ([{"text": "hunter22 " * 2000}], [{"text": ["hunter22"]}], [{"text": "a", "at": "hunter22"}]):
        answer = await anna.post("/memory", json={"memories": memories})
        problem(answer, 422)
        assert "hunter22" not in answer.text


async def test_a_body_that_is_too_large_is_refused_however_its_length_is_told(anna: httpx.AsyncClient) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(MOST_BYTES // 1_000_000 + 1):
            yield b" " * 1_000_000

    problem(await anna.post("/memory/sessions", content=chunks(), headers=JSON), 413)
    problem(await anna.post("/memory/sessions", content=b" " * (MOST_BYTES + 1), headers=JSON), 413)
    [key] = await add(anna, "still here")
    problem(await anna.request("DELETE", f"/memory/{key}", headers={"content-length": "9" * 4999}), 413)
    assert (await anna.get(f"/memory/{key}")).status_code == 200


async def test_a_body_just_within_the_limit_is_taken(anna: httpx.AsyncClient) -> None:
    body = session("s1", *(said(f"e{number}", "x " * 4_900) for number in range(1_000)))
    assert (await anna.post("/memory/sessions", json=body)).status_code == 202


async def test_a_large_body_is_refused_as_a_small_one_is(anna: httpx.AsyncClient) -> None:
    """It is read on a thread."""
    entries = [said(f"e{number}", "x" * 100) for number in range(3_000)]
    told = problem(await anna.post("/memory/sessions", json=session("s1", *entries, {**entries[0], "at": 1})), 422)
    assert told["field"] == "entries[3000].at"
    whole = json.dumps(session("s1", *entries)).encode()
    problem(await anna.post("/memory/sessions", content=whole[:-1], headers=JSON), 400)


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("PATCH", "/memory", "DELETE, GET, POST"),
        ("GET", "/memory/search", "POST"),
        ("DELETE", "/memory/export", "GET"),
        ("PUT", "/memory/sessions", "POST"),
        ("POST", "/memory/some-key", "DELETE, GET, PUT"),
        ("HEAD", "/memory/health", "GET"),
    ],
)
async def test_a_wrong_method_names_the_right_ones(anna: httpx.AsyncClient, method: str, path: str, allow: str) -> None:
    answer = await anna.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allow)
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("path", ["/memory/", "/memory/a/b", "/memory//", "/memory/k/history/"])
async def test_an_address_of_nothing_is_not_found(anna: httpx.AsyncClient, path: str) -> None:
    assert problem(await anna.get(path), 404)["detail"] == "There is nothing at this address."


async def test_a_lost_database_is_told_without_saying_where_it_is(
    memory: MemoryApp, anna: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    async with memory.database.memories._pool.connection() as connection:
        await connection.execute("ALTER TABLE twofold.memory RENAME TO lost")
    answer = await anna.get("/memory")
    told = problem(answer, 503)
    assert told["type"] == "urn:twofold:problem:StoreUnavailable"
    assert "relation" not in answer.text
    assert answer.headers["retry-after"] == "5"
    assert "twofold.memory" in caplog.text


async def asked(opened: Any, *, path: str = "/memory/health") -> httpx.Response:
    web = build_app(memory=opened, authenticator=Tokens())
    transport = httpx.ASGITransport(web)
    async with httpx.AsyncClient(transport=transport, base_url="http://memory") as client:
        return await client.get(path, headers={"Authorization": "Bearer anna"})


async def test_a_memory_that_does_not_open_is_a_problem() -> None:
    async def opened() -> MemoryApp:
        raise StoreUnavailable("postgresql at 10.1.2.3")

    problem(await asked(opened), 503)


async def test_what_nobody_expected_is_logged_and_tells_nothing(caplog: pytest.LogCaptureFixture) -> None:
    async def opened() -> MemoryApp:
        raise RuntimeError("password is hunter22")

    with caplog.at_level(logging.ERROR):
        answer = await asked(opened)
    told = problem(answer, 500)
    assert (told["title"], "hunter22" in answer.text) == ("Internal Server Error", False)
    assert "GET /memory/health failed" in caplog.text
    assert "hunter22" in caplog.text


async def test_other_addresses_of_the_same_app_are_left_alone(web: FastAPI) -> None:
    async def teapot() -> None:
        raise HTTPException(418, "short and stout")

    async def broken() -> None:
        raise RuntimeError

    web.add_api_route("/memory-like", teapot)
    web.add_api_route("/broken", broken)
    transport = httpx.ASGITransport(web, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://memory") as client:
        assert (await client.get("/memory-like")).json() == {"detail": "short and stout"}
        assert (await client.get("/elsewhere")).json() == {"detail": "Not Found"}
        assert (await client.get("/broken")).text == "Internal Server Error"


async def test_below_a_prefix_the_same_rules_hold(web: FastAPI) -> None:
    outer = Starlette(routes=[Mount("/prefix", app=web)])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(outer), base_url="http://memory") as client:
        problem(await client.get("/prefix/memory"), 401)
        client.headers["Authorization"] = "Bearer anna"
        assert (await client.get("/prefix/memory")).status_code == 200
        problem(await client.get("/prefix/memory/a/b"), 404)

"""Every route of `/memory`, whoever calls: in this process, so that a new route costs nothing to watch."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
from fastapi import FastAPI
from starlette.routing import Route

from tests.callers import ANNA, BEN, CRM_KEY, OTTO, STRANGERS, Callers, running_callers, service, settings_for
from tests.identity_provider import IdentityProvider
from tests.server.samples import session
from twofold.api.authenticator import Authenticator
from twofold.api.http_app import build_app
from twofold.api.opened import work_on
from twofold.app import MemoryApp
from twofold.memory.keys import url_key
from twofold.memory.scope import Scope
from twofold.memory.verbatim import VerbatimText
from twofold.settings import load_settings
from twofold.testing import memory_app

SAID = "I work with the Liechtenstein Ledger."
PATHS = re.compile(r"\{(\w+)\}")


@pytest.fixture(scope="module")
def callers() -> Iterator[tuple[IdentityProvider, Callers]]:
    with running_callers() as both:
        yield both


@pytest.fixture
async def memory(database_url: str) -> AsyncIterator[MemoryApp]:
    async with memory_app(database_url) as app:
        yield app


async def closed() -> MemoryApp:
    raise AssertionError("a route was reached")


@pytest.fixture
def app(callers: tuple[IdentityProvider, Callers]) -> FastAPI:
    """Build the app on a memory that nobody may reach."""
    return build_app(memory=closed, authenticator=Authenticator(load_settings(**settings_for(callers[0]))))


@pytest.fixture
def http(app: FastAPI) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost")


@pytest.fixture
def on_memory(app: FastAPI, memory: MemoryApp) -> None:
    """Have the app work on a memory."""

    async def opened() -> MemoryApp:
        return memory

    work_on(app, opened)


def routes(app: FastAPI, **ids: str) -> list[tuple[str, str]]:
    """Return every route of the app, described or not, with ids in its path."""
    named = [route for route in app.router.routes if isinstance(route, Route)]
    assert app.openapi()["paths"].keys() <= {route.path_format for route in named}
    found = [
        (method, PATHS.sub(lambda name: ids.get(name[1], "s1"), route.path_format))
        for route in named
        for method in sorted(route.methods or ())
    ]
    assert len(found) >= 10
    return found


@pytest.mark.parametrize("stranger", STRANGERS)
async def test_no_route_lets_a_stranger_in(
    app: FastAPI, http: httpx.AsyncClient, callers: tuple[IdentityProvider, Callers], stranger: str
) -> None:
    headers, status = callers[1].strangers()[stranger]
    for method, path in routes(app):
        answer = await http.request(method, path, headers=headers, json={})
        assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json"), path
        assert ("www-authenticate" in answer.headers) is (status == 401)


async def test_an_issuer_that_is_down_is_no_refusal(
    app: FastAPI, http: httpx.AsyncClient, callers: tuple[IdentityProvider, Callers]
) -> None:
    provider = callers[0]
    provider.broken = True
    try:
        for method, path in routes(app):
            answer = await http.request(method, path, headers=callers[1].person(*ANNA), json={})
            assert answer.status_code == 503, path
            assert "Tokens cannot be checked" in answer.json()["detail"]
    finally:
        provider.broken = False


@pytest.mark.parametrize("other", [BEN, OTTO], ids=["other user", "other tenant"])
async def test_nobody_sees_or_changes_what_is_another_persons(  # noqa: PLR0917 - fixtures
    app: FastAPI,
    on_memory: None,
    memory: MemoryApp,
    http: httpx.AsyncClient,
    callers: tuple[IdentityProvider, Callers],
    other: tuple[str, str],
) -> None:
    scope = Scope(tenant_id=ANNA[0], user_id=ANNA[1])
    await memory.add(scope, [VerbatimText(text=SAID, at=None)])
    anna, stranger = callers[1].person(*ANNA), callers[1].person(*other)
    await http.post("/memory/sessions", headers=anna, json=session(SAID))
    [fact] = await memory.memories(scope, "semantic")
    before = (await http.get("/memory", headers=anna)).json()
    for method, path in routes(app, key=url_key(fact.key), session_id="s1"):
        body = session("x") if path == "/memory/sessions" else {"query": "ledger", "text": "y"}
        told = (await http.request(method, path, headers=stranger, json=body)).text
        assert "Liechtenstein" not in told, (method, path)
    assert (await http.get("/memory", headers=anna)).json() == before
    assert (await http.get("/memory/sessions/s1", headers=anna)).json()["revision"] == 1


async def test_a_service_acts_for_its_tenants_people_only(on_memory: None, http: httpx.AsyncClient) -> None:
    assert (await http.get("/memory", headers=service(CRM_KEY, *BEN))).status_code == 200
    assert (await http.get("/memory", headers=service(CRM_KEY, *OTTO))).status_code == 403

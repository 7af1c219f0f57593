"""The OpenAPI description says what the routes do, in every case."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.http.callers import Tokens
from twofold.api.http_app import build_app
from twofold.app import MemoryApp
from twofold.memory.errors import StoreUnavailable

PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}


async def closed() -> MemoryApp:
    raise StoreUnavailable("closed")


DESCRIPTION = build_app(memory=closed, authenticator=Tokens()).openapi()


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in DESCRIPTION["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def test_every_address_is_described() -> None:
    assert {name for name, _ in operations()} == {
        "GET /memory",
        "POST /memory",
        "DELETE /memory",
        "GET /memory/export",
        "GET /memory/health",
        "POST /memory/retry",
        "POST /memory/search",
        "POST /memory/sessions",
        "GET /memory/sessions/{session_id}",
        "DELETE /memory/sessions/{session_id}",
        "GET /memory/{key}",
        "PUT /memory/{key}",
        "DELETE /memory/{key}",
        "GET /memory/{key}/history",
        "DELETE /memory/tenants/{tenant_id}",
    }


@pytest.mark.parametrize(("name", "operation"), list(operations()))
def test_an_operation_describes_its_problems_and_who_may_call(name: str, operation: dict[str, Any]) -> None:
    failures = {status: answer for status, answer in operation["responses"].items() if status >= "400"}
    assert {"401", "403", "500", "503"} <= failures.keys()
    assert all(answer["content"] == PROBLEM for answer in failures.values())
    assert operation["security"] == [{"bearer": []}]
    assert {"$ref": "#/components/parameters/User"} in operation["parameters"]
    assert operation["summary"]
    assert operation["description"]


@pytest.mark.parametrize(("name", "operation"), list(operations()))
def test_only_erasing_a_tenant_takes_one_as_input_and_nothing_takes_a_person(
    name: str, operation: dict[str, Any]
) -> None:
    names = {parameter.get("name", "") for parameter in operation["parameters"]}
    taken = {"tenant_id"} if name == "DELETE /memory/tenants/{tenant_id}" else set()
    assert {"user_id", "tenant_id", "user", "tenant", "scope"} & names == taken


def test_what_is_named_is_there() -> None:
    components = DESCRIPTION["components"]
    assert components["securitySchemes"]["bearer"]["scheme"] == "bearer"
    assert components["parameters"]["Tenant"]["name"] == "X-Twofold-Tenant"
    assert set(components["schemas"]["Problem"]["properties"]) == {
        "type",
        "title",
        "status",
        "detail",
        "field",
        "limit",
    }
    ids = [operation["operationId"] for _, operation in operations()]
    assert len(set(ids)) == len(ids)
    links = [
        link["operationId"]
        for _, operation in operations()
        for answer in operation["responses"].values()
        for link in answer.get("links", {}).values()
    ]
    assert links
    assert set(links) <= set(ids)


def test_a_langgraph_server_can_wrap_every_route() -> None:
    assert all(hasattr(route, "app") for route in build_app(memory=closed, authenticator=Tokens()).routes)

"""Both graphs on the real `langgraph dev` as it is after installing: no key, no network, the local user."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.canaries import found_in
from tests.database import DatabaseServer, tables_with
from tests.dumped import dumped
from tests.server.dev import DevServer, dev_server
from tests.server.samples import ALL_SAID, CANARIES, MASKED, SAID, SECRET, sample, session, with_secret

pytestmark = pytest.mark.timeout(240)

MOST_HISTORY = 20_000
WRITE_NODES = ["validate", "redact", "split", "extract_semantic", "extract_episodic", "persist"]
READ_NODES = ["validate", "redact", "embed", "search_semantic", "search_episodic", "rank"]
STUDIO = "https://smith.langchain.com"
EVIL = "https://evil.example"


@pytest.fixture(scope="module")
def database(database_server: DatabaseServer) -> Iterator[str]:
    with database_server.database() as url:
        yield url


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, database: str) -> Iterator[DevServer]:
    folder = tmp_path_factory.mktemp("dev")
    with dev_server(folder, database_url=database, settle_seconds=0, redaction=MASKED) as server:
        yield server


async def test_both_graphs_run_over_their_documented_samples(server: DevServer) -> None:
    async with server.client() as client:
        written: Any = await client.runs.wait(None, "memory_write", input=sample("memory_write"))
        assert {item["kind"] for item in written["saved"]} == {"semantic", "episodic"}
        read: Any = await client.runs.wait(None, "memory_read", input=sample("memory_read"))
        assert "US Primary Ledger" in read["recall"]["facts"][0]["text"]
        assert "FAILURE: open subledgers exist" in read["recall"]["episodes"][0]["text"]


@pytest.mark.parametrize(("graph", "nodes"), [("memory_write", WRITE_NODES), ("memory_read", READ_NODES)])
async def test_each_node_is_streamed_by_its_name_and_the_history_is_small_plain_json(
    server: DevServer, graph: str, nodes: list[str]
) -> None:
    async with server.client() as client:
        thread = (await client.threads.create())["thread_id"]
        stream = client.runs.stream(thread, graph, input=sample(graph), stream_mode="updates")
        assert sorted([name async for part in stream if part.event == "updates" for name in part.data]) == sorted(nodes)
        states = [state["values"] for state in await client.threads.get_history(thread, limit=50)]
        assert len(states) >= 6
        assert len(json.dumps(states)) < MOST_HISTORY
        assert not list(_vectors(states))


def _vectors(value: Any) -> Iterator[list[float]]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        if len(value) > 3 and all(isinstance(item, float) for item in value):
            yield value
        for item in value:
            yield from _vectors(item)


async def test_a_run_in_the_background_can_be_joined(server: DevServer) -> None:
    async with server.client() as client:
        thread = (await client.threads.create())["thread_id"]
        run = await client.runs.create(thread, "memory_read", input=sample("memory_read"))
        joined: Any = await client.runs.join(thread, run["run_id"])
        assert "recall" in joined
        assert (await client.runs.get(thread, run["run_id"]))["status"] == "success"


@pytest.mark.parametrize("graph", ["memory_write", "memory_read"])
async def test_every_field_of_an_input_is_described(server: DevServer, graph: str) -> None:
    async with server.client() as client:
        [assistant] = await client.assistants.search(graph_id=graph)
        assert assistant["description"]
        schemas: Any = await client.assistants.get_schemas(assistant["assistant_id"])
    schema = schemas["input_schema"]
    fields = [(schema["title"], schema), *schema["$defs"].items()]
    named = {f"{name}.{field}": told for name, part in fields for field, told in part["properties"].items()}
    assert {"WriteInput.entries", "EntryState.payload", "ScopeState.user_id", "ReadInput.query"} & named.keys()
    assert [name for name, told in named.items() if not told.get("description")] == []
    assert _unnamed(schema) == []


def _unnamed(value: Any, path: str = "") -> list[str]:
    """Return where a schema says `object` and not which fields."""
    if isinstance(value, list):
        return [found for item in value for found in _unnamed(item, path)]
    if not isinstance(value, dict):
        return []
    bare = [path] if value.get("type") == "object" and "properties" not in value else []
    return bare + [found for name, item in value.items() for found in _unnamed(item, f"{path}/{name}")]


async def test_a_run_that_is_resumed_from_any_checkpoint_writes_nothing_twice(server: DevServer) -> None:
    """What Studio does when a step is run again."""
    given = sample("memory_write") | {"session_id": "resumed"}
    async with server.client() as client, server.http() as http:
        thread = (await client.threads.create())["thread_id"]
        await client.runs.wait(thread, "memory_write", input=given)
        before = await _memories(http)
        for state in await client.threads.get_history(thread, limit=50):
            if state["next"] and state["next"] != ["__start__"]:
                checkpoint = state["checkpoint"]["checkpoint_id"]
                run = await client.runs.create(thread, "memory_write", input=None, checkpoint_id=checkpoint)
                await client.runs.join(thread, run["run_id"])
                assert (await client.runs.get(thread, run["run_id"]))["status"] == "success", state["next"]
        values: Any = (await client.threads.get_state(thread))["values"]
        await client.threads.update_state(thread, {"entries": values["entries"]}, as_node="redact")
        await client.runs.wait(thread, "memory_write", input=None)
        assert await _memories(http) == before


async def _memories(http: Any) -> list[tuple[str, int, str]]:
    answer = await http.get("/memory", params={"limit": 100})
    return sorted((memory["key"], memory["rev"], memory["text"]) for memory in answer.json()["memories"])


@pytest.mark.parametrize(
    "hostile",
    [
        {"context": {"user_id": "ben", "tenant_id": "acme", "langgraph_auth_user": {"identity": "acme/ben"}}},
        {"config": {"configurable": {"user_id": "ben", "tenant_id": "acme", "scope": "acme/ben"}}},
        {"config": {"configurable": {"langgraph_auth_user": "acme/ben", "langgraph_auth_user_id": "acme/ben"}}},
        {"config": {"configurable": {"langgraph_auth_user": {"identity": "acme/ben"}}}},
        {"metadata": {"owner": "acme/ben", "langgraph_auth_user": "acme/ben"}},
    ],
    ids=str,
)
async def test_nothing_that_is_sent_along_changes_whose_memory_it_is(
    server: DevServer, database: str, hostile: dict[str, Any]
) -> None:
    async with server.client() as client:
        thread = (await client.threads.create())["thread_id"]
        given = session("I work with the Swiss Ledger.", "hostile")
        await client.runs.wait(thread, "memory_write", input=given, **hostile)
        assert (await client.threads.get(thread))["metadata"]["owner"] == "local/local"  # type: ignore[index]
    assert tables_with(database, "acme") == set()


async def test_an_input_for_somebody_else_is_refused(server: DevServer) -> None:
    scope = {"tenant_id": "acme", "user_id": "ben"}
    async with server.client() as client:
        refused: Any = await client.runs.wait(
            None, "memory_read", input={"query": "x", "scope": scope}, raise_error=False
        )
    assert refused["__error__"]["error"] == "InvalidInput"


PLACES = [("GET", "/memory"), ("POST", "/threads"), ("POST", "/runs/wait"), ("POST", "/threads/search")]


@pytest.mark.parametrize(("method", "path"), PLACES)
async def test_studio_is_let_in_and_another_web_page_is_not(server: DevServer, method: str, path: str) -> None:
    body = {"assistant_id": "memory_read", "input": {"query": "x"}} if path == "/runs/wait" else {}

    async def status(**headers: str) -> int:
        async with server.http(headers) as http:
            return (await http.request(method, path, json=body)).status_code

    assert await status(origin=STUDIO) == 200
    assert await status(origin=EVIL) == 403
    assert await status(origin=EVIL, **{"x-auth-scheme": "langsmith"}) == 403
    assert await status(**{"sec-fetch-site": "cross-site"}) == 403
    assert await status(host="evil.example") == 403
    assert await status(**{"x-forwarded-for": "127.0.0.1"}) == 403


async def test_studio_may_ask_and_read_the_answer_and_another_page_may_not(server: DevServer) -> None:
    asked = {"access-control-request-method": "POST", "access-control-request-headers": "x-auth-scheme"}
    for origin, allowed in ((STUDIO, STUDIO), (EVIL, None)):
        async with server.http({"origin": origin}) as http:
            preflight = await http.options("/threads", headers=asked)
            assert preflight.headers.get("access-control-allow-origin") == allowed
            answer = await http.post("/threads/search", json={})
            assert answer.headers.get("access-control-allow-origin") == allowed


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/internal/truncate", 404),
        ("GET", "/internal/debug/thread/x", 404),
        ("POST", "/deploy", 404),
        ("GET", "/deploy", 404),
        ("PUT", "/store/items", 404),
        ("POST", "/store/items/search", 404),
        ("POST", "/mcp/", 404),
        ("POST", "/a2a/memory_read", 404),
        ("GET", "/ui/memory_read", 404),
        ("POST", "/assistants", 403),
    ],
)
async def test_what_memory_does_not_need_is_closed(server: DevServer, method: str, path: str, status: int) -> None:
    async with server.http() as http:
        body = {"graph_id": "memory_read"} if path == "/assistants" else {}
        assert (await http.request(method, path, json=body)).status_code == status
        assert (await http.get("/ok")).json()["ok"] is True


async def test_nobody_has_the_server_call_another(server: DevServer) -> None:
    async with server.http() as http:
        given = {"assistant_id": "memory_read", "input": {"query": "x"}, "webhook": "http://127.0.0.1:9/hook"}
        assert (await http.post("/runs", json=given)).status_code == 422


async def test_a_body_that_is_too_large_or_no_json_is_refused(server: DevServer) -> None:
    async with server.http() as http:
        assert (await http.post("/threads", content=b"x" * 5_000_001)).status_code == 413
        assert (await http.post("/threads", content=b"{")).status_code == 422


async def test_no_secret_is_kept_of_what_is_sent_to_the_graphs(server: DevServer, database: str) -> None:
    async with server.client() as client:
        thread = (await client.threads.create(metadata={"note": SAID, "password": SECRET}))["thread_id"]
        config: Any = {"tags": [SAID], "metadata": {"api_key": SECRET}, "configurable": {"password": SECRET}}
        await client.runs.wait(thread, "memory_write", input=with_secret(), config=config, metadata={"note": SAID})
        await client.runs.wait(thread, "memory_read", input={"query": SAID}, context={"password": SECRET})
        await client.runs.wait(thread, "memory_read", input={"query": ALL_SAID}, context={"note": ALL_SAID})
        await client.threads.update_state(thread, {"query": SAID}, as_node="redact")
        await client.threads.update(thread, metadata={"more": SAID})
        await client.runs.wait(thread, "memory_write", command={"update": {"entries": with_secret("2")["entries"]}})
        await client.runs.wait(thread, "memory_write", command={"resume": SAID}, raise_error=False)
        await client.threads.create(
            graph_id="memory_read", supersteps=[{"updates": [{"values": {"query": SAID}, "as_node": "__input__"}]}]
        )
        await client.crons.create("memory_read", schedule="0 3 1 1 *", input={"query": SAID}, metadata={"n": SAID})
        shown = [
            await client.threads.get_history(thread, limit=100),
            await client.threads.get_state(thread),
            await client.threads.get(thread),
            await client.runs.list(thread),
            await client.crons.search(),
            await client.threads.search(limit=100),
        ]
    async with server.http() as http:
        sent = {"id": 1, "method": "run.start", "params": {"assistant_id": "memory_read", "input": {"query": SAID}}}
        assert (await http.post(f"/threads/{thread}/commands", json=sent)).is_success
        assert (await http.get("/memory", params={"text": SAID})).is_success
        for canary in CANARIES.values():
            assert (await http.get("/memory", params={"text": canary.text})).is_success
        assert (await http.get("/memory", params={"text": SAID, "limit": 0})).status_code == 422
        assert (await http.get("/memory", params={"password": SECRET})).status_code == 422
        assert (await http.get(f"/threads/{thread}/history", params={"limit": "x", "note": SAID})).is_error
        assert (await http.get("/nowhere", params={"note": SAID})).status_code == 404
    assert SECRET not in json.dumps(shown)
    assert "[redacted: password]" in json.dumps(shown)
    assert found_in(json.dumps(shown).encode(), CANARIES) == {}
    left = server.left_behind()  # which ends it: this test is the last
    assert SECRET.encode() not in left
    assert found_in(left, CANARIES) == {}
    assert found_in(dumped(database), CANARIES) == {}
    assert tables_with(database, SECRET) == set()

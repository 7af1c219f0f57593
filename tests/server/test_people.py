"""Many people on one LangGraph server, by tokens and service keys: each has what is their own."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import psycopg
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.callers import (
    ANNA,
    BEN,
    CRM_KEY,
    OTTO,
    ROOT_KEY,
    STRANGERS,
    Callers,
    bearer,
    running_callers,
    service,
    settings_for,
)
from tests.database import DatabaseServer
from tests.identity_provider import IdentityProvider
from tests.server.belongings import keep_words, kept_of, no_thread_of, stored, waiting_for
from tests.server.dev import DevServer, dev_server
from tests.server.samples import session
from twofold.api.guarded import PUBLIC

pytestmark = pytest.mark.timeout(240)

SAID = "I work with the Liechtenstein Ledger."
FACT = "The user works with the Liechtenstein Ledger."
CRON_SAID = "I work with the Andorra Ledger."
HER_WORDS = "I work with the Quokka Ledger."
EVERY_SECOND = "* * * * * *"  # croniter's sixth field is the seconds


@dataclass(frozen=True)
class Belongings:
    """What Anna has on the server."""

    thread: str
    run: str
    cron: str
    memory: str

    def fill(self, path: str) -> str:
        """Return the path of a route with Anna's ids in it."""
        ids = {"thread_id": self.thread, "run_id": self.run, "cron_id": self.cron, "key": self.memory}
        return re.sub(r"\{(\w+)\}", lambda found: ids.get(found[1], "s1"), path)


@pytest.fixture(scope="module")
def callers() -> Iterator[tuple[IdentityProvider, Callers]]:
    with running_callers() as both:
        yield both


@pytest.fixture(scope="module")
def database(database_server: DatabaseServer) -> Iterator[str]:
    with database_server.database() as url:
        yield url


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory,
    database: str,
    callers: tuple[IdentityProvider, Callers],
) -> Iterator[DevServer]:
    settings = {
        **settings_for(callers[0]),
        "settle_seconds": 0,
        "BG_JOB_ISOLATED_LOOPS": "true",
        "CRON_SCHEDULER_SLEEP_TIME": "1",
    }
    folder: Path = tmp_path_factory.mktemp("people")
    with dev_server(folder, database_url=database, **settings) as server:
        yield server


@pytest.fixture
def anna(callers: tuple[IdentityProvider, Callers]) -> dict[str, str]:
    return callers[1].person(*ANNA)


@pytest.fixture
async def routes(server: DevServer) -> list[tuple[str, str]]:
    """Every route of the server but the public ones, as its description names them."""
    async with server.http() as http:
        described = (await http.get("/openapi.json")).json()["paths"]
    named = [(method.upper(), path) for path, methods in described.items() for method in methods]
    guarded = [(method, path) for method, path in named if path not in PUBLIC]
    assert {"/memory/search", "/threads/{thread_id}/state", "/runs/crons", "/assistants/search"} <= {
        p for _, p in named
    }
    return guarded


@pytest.fixture(scope="module")
def kept(server: DevServer, callers: tuple[IdentityProvider, Callers]) -> Belongings:
    return asyncio.run(_belongings(server, callers[1].person(*ANNA)))


async def _belongings(server: DevServer, anna: dict[str, str]) -> Belongings:
    async with server.client(anna) as client, server.http(anna) as http:
        thread = (await client.threads.create())["thread_id"]
        run = await client.runs.create(thread, "memory_write", input=session(SAID))
        await client.runs.join(thread, run["run_id"])
        cron: Any = await client.crons.create_for_thread(
            thread, "memory_read", schedule="0 3 1 1 *", input={"query": SAID}
        )
        [memory] = (await http.get("/memory")).json()["memories"]
        return Belongings(thread, run["run_id"], str(cron["cron_id"]), memory["key"])


@pytest.mark.parametrize("stranger", STRANGERS)
async def test_no_route_lets_a_stranger_in(
    server: DevServer,
    kept: Belongings,
    routes: list[tuple[str, str]],
    callers: tuple[IdentityProvider, Callers],
    stranger: str,
) -> None:
    headers, status = callers[1].strangers()[stranger]
    async with server.http(headers) as http:
        body = {"assistant_id": "memory_write", "input": {"query": "x"}}
        requests = [http.request(method, kept.fill(path), json=body) for method, path in routes]
        requests += [http.post("/runs/wait", json=body | {"assistant_id": "memory_read"})]
        answers = await asyncio.gather(*requests)
    assert {answer.request.url.path: answer.status_code for answer in answers if answer.status_code != status} == {}
    assert len(routes) > 40
    with pytest.raises(InvalidStatus) as refused:
        await connect(_stream_of(server, kept.thread), additional_headers=headers)
    assert refused.value.response.status_code == status


def _stream_of(server: DevServer, thread: str) -> str:
    return f"{server.url.replace('http', 'ws')}/threads/{thread}/stream/events"


async def test_every_route_lets_somebody_in(
    server: DevServer, kept: Belongings, routes: list[tuple[str, str]], anna: dict[str, str]
) -> None:
    """Else the refusals above would prove nothing."""
    async with server.http(anna) as http:
        for method, path in routes:
            if method == "GET" and "stream" not in path and "{key}" not in path:
                assert (await http.get(kept.fill(path), timeout=10)).status_code not in {401, 403}, path
    async with connect(_stream_of(server, kept.thread), additional_headers=anna) as socket:
        await socket.send(json.dumps({"id": 1, "method": "agent.getTree"}))
        assert json.loads(await asyncio.wait_for(socket.recv(), 10))["id"] == 1


BODIES: dict[str, dict[str, Any]] = {
    "/assistants": {"graph_id": "memory_read"},
    "/memory/sessions": session("x", "other"),
    "/runs/cancel": {"status": "all"},
    "/threads/prune": {"strategy": "delete"},
    "/runs/crons": {"schedule": "0 3 1 1 *", "assistant_id": "memory_read"},
    "/threads/{thread_id}/runs/crons": {"schedule": "0 3 1 1 *", "assistant_id": "memory_read"},
    "/threads/{thread_id}/state": {"values": {"query": "hers"}, "as_node": "redact"},
    "/threads/{thread_id}": {"metadata": {"mine": True}},
    "/threads/{thread_id}/commands": {"id": 1, "method": "run.start", "params": {"assistant_id": "memory_read"}},
    "/threads/{thread_id}/stream/events": {"channels": ["values"]},
}


@pytest.mark.parametrize("other", [BEN, OTTO], ids=["other user", "other tenant"])
async def test_nobody_sees_or_changes_what_is_another_persons(
    server: DevServer,
    kept: Belongings,
    routes: list[tuple[str, str]],
    callers: tuple[IdentityProvider, Callers],
    other: tuple[str, str],
) -> None:
    anna = callers[1].person(*ANNA)
    before = await _belonging_to(server, anna, kept)
    assert SAID in before
    async with server.http(callers[1].person(*other)) as http:
        for method, path in routes:
            if path.startswith("/memory") and method == "DELETE" and "{" not in path:
                continue  # erases everything of who calls
            body = BODIES.get(path, {"assistant_id": "memory_read", "input": {"query": SAID[-19:]}})
            body |= {"thread_ids": [kept.thread], "ids": [kept.thread], "thread_id": kept.thread}
            told = await _told(http, method, kept.fill(path), body)
            assert "works with the Liechtenstein" not in told, (method, path, told)
            assert SAID not in told, (method, path, told)
    assert await _belonging_to(server, anna, kept) == before


async def _told(http: httpx.AsyncClient, method: str, path: str, body: dict[str, Any]) -> str:
    """Return an answer; of a stream that goes on what it says in a second."""
    told = ""
    with suppress(TimeoutError, httpx.ReadError, httpx.RemoteProtocolError):  # a stream of what is not there breaks off
        async with asyncio.timeout(1 if "stream" in path else 20), http.stream(method, path, json=body) as answer:
            async for text in answer.aiter_text():
                told += text
    return told


async def _belonging_to(server: DevServer, headers: dict[str, str], kept: Belongings) -> str:
    async with server.client(headers) as client, server.http(headers) as http:
        thread = await client.threads.get(kept.thread)
        [cron] = [cron for cron in await client.crons.search() if cron["cron_id"] == kept.cron]
        return json.dumps(
            [
                thread["metadata"],
                thread["status"],
                await client.threads.get_history(kept.thread, limit=100),
                [run["run_id"] for run in await client.runs.list(kept.thread, limit=100)],
                cron["payload"],
                (await http.get("/memory")).json(),
            ]
        )


@pytest.mark.parametrize("other", [BEN, OTTO], ids=["other user", "other tenant"])
async def test_what_is_another_persons_is_not_there(
    server: DevServer, kept: Belongings, callers: tuple[IdentityProvider, Callers], other: tuple[str, str]
) -> None:
    async with server.http(callers[1].person(*other)) as http:
        thread, run = f"/threads/{kept.thread}", f"/threads/{kept.thread}/runs/{kept.run}"
        for path in (thread, f"{thread}/state", run, f"{run}/join", f"/runs/crons/{kept.cron}"):
            assert (await http.get(path)).status_code == 404, path
        for path in (thread, run, f"/runs/crons/{kept.cron}"):
            assert (await http.delete(path)).status_code == 404, path
        assert (await http.patch(thread, json={"metadata": {}})).status_code == 404
        assert (await http.post(f"{thread}/history", json={})).status_code == 404
        started = {"assistant_id": "memory_read", "input": {"query": "x"}}
        for path in (f"{thread}/runs", f"{thread}/runs/wait", f"{thread}/runs/stream"):
            assert (await http.post(path, json=started)).status_code == 404, path
        assert (await http.post(f"{run}/cancel")).status_code == 404
        for path in ("/threads/search", "/runs/crons/search"):
            found = (await http.post(path, json={"metadata": {"owner": "acme/anna"}})).json()
            assert found == [], path
        own = (await http.post("/runs/crons/search", json={})).json()
        assert kept.cron not in {cron["cron_id"] for cron in own}
        assert (await http.post("/runs/crons/count", json={})).json() == len(own)
        recalled: Any = (await http.post("/runs/wait", json=started | {"input": {"query": SAID}})).json()
        assert recalled == {"recall": {"facts": [], "episodes": []}}


@pytest.mark.parametrize("other", [BEN, OTTO], ids=["other user", "other tenant"])
async def test_a_state_that_names_another_person_opens_nothing(
    server: DevServer, kept: Belongings, callers: tuple[IdentityProvider, Callers], other: tuple[str, str]
) -> None:
    """A thread's owner may edit its state between two steps, and start at any of them."""
    anna, hers = callers[1].person(*ANNA), {"tenant_id": ANNA[0], "user_id": ANNA[1]}
    before = await _belonging_to(server, anna, kept)
    async with server.client(callers[1].person(*other)) as client:
        for step in ("redact", "embed"):
            thread = (await client.threads.create(graph_id="memory_read"))["thread_id"]
            await client.threads.update_state(thread, {"scope": hers, "query": SAID[-19:]}, as_node=step)
            await client.runs.wait(thread, "memory_read", input=None, raise_error=False)
            assert FACT not in json.dumps(await client.threads.get_history(thread, limit=100))
        thread = (await client.threads.create())["thread_id"]
        await client.runs.wait(thread, "memory_read", input={"query": ""})
        jump: Any = {"update": {"scope": hers, "query": SAID[-19:]}, "goto": "embed"}
        await client.runs.wait(thread, "memory_read", command=jump, raise_error=False)
        assert FACT not in json.dumps(await client.threads.get_history(thread, limit=100))
        thread = (await client.threads.create(graph_id="memory_write"))["thread_id"]
        evil = {"scope": hers, **session("I work with the Evil Ledger.", "evil")}
        await client.threads.update_state(thread, evil, as_node="redact")
        await client.runs.wait(thread, "memory_write", input=None, raise_error=False)
    assert await _belonging_to(server, anna, kept) == before


async def test_a_thread_cannot_be_made_or_given_in_anothers_name(
    server: DevServer, kept: Belongings, callers: tuple[IdentityProvider, Callers]
) -> None:
    ben = callers[1].person(*BEN)
    async with server.client(ben) as client, server.http(ben) as http:
        made = await client.threads.create(metadata={"owner": "acme/anna"})
        given = await client.threads.update(made["thread_id"], metadata={"owner": "acme/anna"})
        copied: Any = (await http.post(f"/threads/{made['thread_id']}/copy")).json()
        assert {t["metadata"]["owner"] for t in (made, given, copied)} == {"acme/ben"}  # type: ignore[index]
        taken = await http.post("/threads", json={"thread_id": kept.thread, "if_exists": "do_nothing"})
        assert taken.status_code == 409


async def test_a_service_has_what_belongs_to_the_person_it_acts_for(server: DevServer, kept: Belongings) -> None:
    async with server.client(service(CRM_KEY, *ANNA)) as client, server.http(service(CRM_KEY, *ANNA)) as http:
        assert (await client.threads.get(kept.thread))["metadata"]["owner"] == "acme/anna"  # type: ignore[index]
        assert (await http.get(f"/memory/{kept.memory}")).status_code == 200
    async with server.http(service(CRM_KEY, *BEN)) as http:
        assert (await http.get(f"/threads/{kept.thread}")).status_code == 404
    async with server.http(bearer(ROOT_KEY)) as http:
        assert (await http.post("/threads", json={})).status_code == 403
        assert (await http.get("/memory/health")).status_code == 200


async def test_studios_header_opens_no_door(server: DevServer) -> None:
    for headers in ({"x-auth-scheme": "langsmith"}, {"x-auth-scheme": "langsmith-api-key", "x-api-key": "lsv2_pt_x"}):
        async with server.http(headers | {"origin": "https://smith.langchain.com"}) as http:
            assert (await http.post("/threads/search", json={})).status_code == 401
            assert (await http.get("/memory")).status_code == 401


async def test_a_scheduled_run_is_its_makers_whoever_it_names(
    server: DevServer, callers: tuple[IdentityProvider, Callers]
) -> None:
    identity = {"identity": "acme/otto", "permissions": []}
    config = {"configurable": {"langgraph_auth_user": identity, "langgraph_auth_user_id": "acme/otto"}}
    given = session(CRON_SAID, "scheduled")
    people = {name: callers[1].person("acme", name) for name in ("carla", "otto")}
    async with server.http(people["carla"]) as carla, server.http(people["otto"]) as otto:
        body = {"assistant_id": "memory_write", "schedule": EVERY_SECOND, "input": given, "config": config}
        cron = (await carla.post("/runs/crons", json=body)).json()
        await carla.patch(f"/runs/crons/{cron['cron_id']}", json={"config": config})
        [memory] = await stored(carla)
        assert (await carla.delete(f"/runs/crons/{cron['cron_id']}")).is_success
        assert memory["text"] == "The user works with the Andorra Ledger."
        assert (await otto.get("/memory")).json()["memories"] == []


async def test_what_is_erased_of_a_person_goes_from_the_threads_too_and_nothing_of_others(
    server: DevServer, callers: tuple[IdentityProvider, Callers]
) -> None:
    dora, emil = (callers[1].person("acme", name) for name in ("dora", "emil"))
    hers, his = await keep_words(server, dora, HER_WORDS), await keep_words(server, emil, "I use the EU Ledger.")
    async with server.http(dora) as http:
        session_gone = (await http.delete("/memory/sessions/own")).json()
        assert (session_gone["threads"], session_gone["schedules"], session_gone["runs"]) == (1, 1, 0)
        assert await kept_of(server, dora) == ({hers["other"]}, 1, 0)
        all_gone = (await http.delete("/memory")).json()
    assert (all_gone["threads"], all_gone["schedules"], all_gone["runs"]) == (1, 1, 1)
    assert all_gone["threads_left"] == session_gone["threads_left"] == []
    assert set(all_gone["remaining"].values()) == {0}
    assert await kept_of(server, dora) == (set(), 0, 0)
    assert await kept_of(server, emil) == (set(his.values()), 2, 1)


async def test_a_run_under_way_ends_without_a_trace_when_its_person_is_erased(
    server: DevServer, database: str, callers: tuple[IdentityProvider, Callers]
) -> None:
    dora = callers[1].person("acme", "dora")
    with psycopg.connect(database) as blocking:
        blocking.execute("LOCK TABLE twofold.ledger IN ACCESS EXCLUSIVE MODE")  # where a save looks first
        async with server.client(dora) as client, server.http(dora) as http:
            thread = (await client.threads.create())["thread_id"]
            run = await client.runs.create(thread, "memory_write", input=session(HER_WORDS, "running"))
            await waiting_for(blocking)
            assert (await client.runs.get(thread, run["run_id"]))["status"] == "running"
            erasing = asyncio.create_task(http.delete("/memory"))
            await no_thread_of(client)
            blocking.rollback()
            erased = (await erasing).json()
    assert (erased["threads"], erased["runs"], erased["threads_left"]) == (1, 1, [])
    assert await kept_of(server, dora) == (set(), 0, 0)


async def test_a_tenant_is_erased_with_the_threads_of_everybody_in_it(
    server: DevServer, callers: tuple[IdentityProvider, Callers]
) -> None:
    gone = [callers[1].person("closing/down", name) for name in ("fay", "gus")]
    stays = callers[1].person("closing", "down/fay")
    for headers in gone:
        await keep_words(server, headers, HER_WORDS)
    his = await keep_words(server, stays, "I use the EU Ledger.")
    path = f"/memory/tenants/{quote('closing/down', safe='')}"
    async with server.http(gone[0]) as http, server.http(bearer(CRM_KEY)) as crm, server.http(bearer(ROOT_KEY)) as root:
        assert [(await caller.delete(path)).status_code for caller in (http, crm)] == [403, 403]
        erased = (await root.delete(path)).json()
    assert (erased["people"], erased["threads"], erased["schedules"], erased["runs"]) == (2, 4, 4, 2)
    assert erased["threads_left"] == []
    assert [await kept_of(server, headers) for headers in gone] == [(set(), 0, 0)] * 2
    assert await kept_of(server, stays) == (set(his.values()), 2, 1)


async def test_no_key_and_no_token_is_kept_or_logged(
    server: DevServer, kept: Belongings, callers: tuple[IdentityProvider, Callers]
) -> None:
    token = callers[0].token(*ANNA)
    async with server.client(bearer(token)) as client:
        await client.runs.wait(kept.thread, "memory_read", input={"query": "x"})
    async with server.client(service(CRM_KEY, *ANNA)) as client:
        await client.runs.wait(kept.thread, "memory_read", input={"query": "x"})
    left = server.left_behind()  # which ends it: this test is the last
    assert HER_WORDS.encode() not in left  # of those who were erased
    assert kept.thread.encode() in left
    assert token.encode() not in left
    assert CRM_KEY.encode() not in left

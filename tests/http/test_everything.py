"""Taking everything along, erasing everything, health and retrying over HTTP."""

import json
from typing import Any

import httpx
import pytest

from tests.http.callers import ANNA, BEN
from tests.http.conftest import As
from tests.http.samples import add, problem, said, session, texts
from twofold.app import MemoryApp
from twofold.memory.keys import url_key

TALK = (said("e1", "I use US_PRIMARY"), said("e2", "ok", author="agent"))


async def hand_over(client: httpx.AsyncClient, session_id: str = "s1") -> int:
    answer = await client.post("/memory/sessions", json=session(session_id, *TALK))
    return int(answer.json()["revision"])


async def exported(client: httpx.AsyncClient) -> list[dict[str, Any]]:
    answer = await client.get("/memory/export")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert answer.text == "" or answer.text.endswith("\n")
    return [json.loads(line) for line in answer.text.splitlines()]


async def test_an_export_has_a_line_for_each_memory_change_and_session(
    memory: MemoryApp, anna: httpx.AsyncClient, ben: httpx.AsyncClient
) -> None:
    await memory.save_session(ANNA, "s1", await hand_over(anna))
    await hand_over(ben)
    [key] = await add(anna, "Day 3 is the\u2028deadline")
    lines = await exported(anna)
    assert [line["type"] for line in lines] == ["memory", "memory", "change", "change", "session"]
    assert {line["text"] for line in lines[:2]} == {"I use US_PRIMARY", "Day 3 is the\u2028deadline"}
    assert key in {line["key"] for line in lines[2:4]}
    kept = lines[4]
    assert (kept["session_id"], kept["revision"], kept["stored"]) == ("s1", 1, True)
    assert [entry["text"] for entry in kept["entries"]] == ["I use US_PRIMARY", "ok"]


async def test_an_export_of_nobody_is_empty(anna: httpx.AsyncClient) -> None:
    assert await exported(anna) == []


async def test_everything_of_the_caller_is_erased_and_nothing_of_others(
    memory: MemoryApp, anna: httpx.AsyncClient, ben: httpx.AsyncClient
) -> None:
    await memory.save_session(ANNA, "s1", await hand_over(anna))
    await add(ben, "Ben's")
    erased = (await anna.delete("/memory")).json()
    assert (erased["memories"], erased["vectors"], erased["sessions"], erased["entries"]) == (1, 1, 1, 2)
    assert set(erased["remaining"].values()) == {0}
    assert (erased["tombstones"], erased["threads"], erased["threads_left"]) == (1, 0, [])
    assert [line["action"] for line in await exported(anna)] == ["ERASE"]
    assert await texts(ben) == ["Ben's"]
    assert await hand_over(anna) == 0


@pytest.mark.parametrize("caller", ["anna", "ben", "narrow"])
async def test_a_tenant_is_erased_by_nobody_but_a_service_that_may_act_for_it(
    memory: MemoryApp, as_person: As, anna: httpx.AsyncClient, caller: str
) -> None:
    await memory.save_session(ANNA, "s1", await hand_over(anna))
    problem(await as_person(caller).delete("/memory/tenants/acme"), 403)
    assert await texts(anna) == ["I use US_PRIMARY"]


async def test_a_service_erases_a_tenant_with_everybody_in_it(
    memory: MemoryApp, anna: httpx.AsyncClient, ben: httpx.AsyncClient, service: httpx.AsyncClient
) -> None:
    await memory.save_session(ANNA, "s1", await hand_over(anna))
    await add(ben, "Ben's")
    assert (await service.delete("/memory/tenants/other")).json()["people"] == 0
    erased = (await service.delete(f"/memory/tenants/{url_key('acme')}")).json()
    assert (erased["people"], erased["memories"], erased["sessions"]) == (2, 2, 1)
    assert set(erased["remaining"].values()) == {0}
    assert [await texts(person) for person in (anna, ben)] == [[], []]
    assert [await hand_over(person) for person in (anna, ben)] == [0, 0]
    problem(await service.delete("/memory/tenants/"), 422)


async def test_health_counts_what_waits_of_the_caller_and_of_everyone_for_a_service(
    memory: MemoryApp, anna: httpx.AsyncClient, ben: httpx.AsyncClient, service: httpx.AsyncClient
) -> None:
    await hand_over(anna)
    await hand_over(ben)
    await memory.database.inbox.mark_failed(BEN, "s1", 1, "no model", final=True)
    health = (await anna.get("/memory/health")).json()
    assert (health["waiting"], health["failed"], health["extractor"]) == (1, 0, "testing:echo")
    assert health["oldest_at"] is not None
    assert health["last_error"] is None
    told = (await ben.get("/memory/health")).json()
    assert told["last_error"].pop("at") is not None
    assert told == {
        "told": "memory is up to date, but 1 session was given up (last error: no model)",
        "extractor": "testing:echo", "embedder": "testing:words", "waiting": 0, "failed": 1, "oldest_at": None,
        "behind_since": None, "last_error": {"session_id": "s1", "cause": "no model"},
    }  # fmt: skip
    health = (await service.get("/memory/health")).json()
    assert (health["waiting"], health["failed"]) == (1, 1)


async def test_a_person_retries_their_own_sessions_and_a_service_everyones(
    memory: MemoryApp, anna: httpx.AsyncClient, ben: httpx.AsyncClient, service: httpx.AsyncClient
) -> None:
    for client, scope in ((anna, ANNA), (ben, BEN)):
        await hand_over(client)
        await memory.database.inbox.mark_failed(scope, "s1", 1, "no model", final=True)
    assert (await anna.post("/memory/retry")).json() == {"sessions": 1}
    assert (await ben.get("/memory/health")).json()["failed"] == 1
    assert (await service.post("/memory/retry")).json() == {"sessions": 2}


async def test_a_service_of_some_tenants_counts_and_retries_theirs_only(
    memory: MemoryApp, anna: httpx.AsyncClient, service: httpx.AsyncClient
) -> None:
    await hand_over(anna)
    await memory.database.inbox.mark_failed(ANNA, "s1", 1, "no model", final=True)
    narrow = {"Authorization": "Bearer narrow"}
    assert (await service.get("/memory/health", headers=narrow)).json()["failed"] == 0
    assert (await service.post("/memory/retry", headers=narrow)).json() == {"sessions": 0}
    assert (await service.get("/memory/health")).json()["failed"] == 1


async def test_a_service_that_names_nobody_has_no_memory_of_its_own(service: httpx.AsyncClient) -> None:
    for method, path in (("GET", "/memory"), ("DELETE", "/memory"), ("GET", "/memory/export"), ("GET", "/memory/k")):
        told = problem(await service.request(method, path), 403)
        assert "X-Twofold-User" in told["detail"]

"""Handing sessions over, asking how far their save got, and erasing them over HTTP."""

import asyncio
import time
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.database import tables_with
from tests.http.callers import ANNA
from tests.http.samples import NOON, add, problem, said, session, texts
from twofold.app import MemoryApp
from twofold.memory.keys import url_key
from twofold.memory.transcript import Entry


async def handed_over(client: httpx.AsyncClient, body: dict[str, Any]) -> int:
    answer = await client.post("/memory/sessions", json=body)
    assert answer.status_code == 202, answer.text
    accepted = answer.json()
    assert accepted["session_id"] == body["session_id"]
    return int(accepted["revision"])


async def progress(client: httpx.AsyncClient, session_id: str, **parameters: Any) -> dict[str, Any]:
    answer = await client.get(f"/memory/sessions/{url_key(session_id)}", params=parameters)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def entries(memory: MemoryApp, session_id: str) -> tuple[Entry, ...]:
    loaded = await memory.database.inbox.load(ANNA, session_id)
    assert loaded is not None
    return loaded.transcript.entries


async def test_an_accepted_session_is_merged_with_what_is_known_of_it(
    memory: MemoryApp, anna: httpx.AsyncClient
) -> None:
    first, second = said("e1", "one"), said("e2", "two", at="2026-03-01T12:01:00+01:00")
    assert await handed_over(anna, session("s1", first)) == 1
    assert await handed_over(anna, session("s1", first)) == 1
    assert await handed_over(anna, session("s1", second)) == 2
    assert [entry.text for entry in await entries(memory, "s1")] == ["two", "one"]


async def test_a_session_of_nothing_holds_nothing(anna: httpx.AsyncClient) -> None:
    assert await handed_over(anna, session("s1")) == 0
    problem(await anna.get("/memory/sessions/s1"), 404)


async def test_no_secret_and_nothing_unstorable_reaches_the_disk(memory: MemoryApp, anna: httpx.AsyncClient) -> None:
    call = {
        "event_id": "e2", "kind": "called", "author": "agent", "at": NOON, "tool": "lo\x07gin", "call_id": "c1",
        "payload": {"password": "hunter22", "note\x00": "a\x00b", "deep": [1, 2.5, None]},
    }  # fmt: skip
    body = session("s1", said("e1", "my password: hunter22\x00"), call)
    await handed_over(anna, body)
    one, two = await entries(memory, "s1")
    assert one.text == "my password: [redacted: password]"
    assert (two.tool, two.payload) == (
        "login",
        {"password": "[redacted: password]", "note": "ab", "deep": [1, 2.5, None]},
    )
    assert tables_with(memory.database.url, "hunter22") == set()


async def test_half_characters_in_what_a_tool_returned_are_cleaned_away(
    memory: MemoryApp, anna: httpx.AsyncClient
) -> None:
    body = (
        b'{"session_id": "s1", "entries": [{"event_id": "e1", "kind": "returned", "author": "agent",'
        b' "at": "2026-03-01T12:00:00Z", "tool": "t", "call_id": "c1", "payload": ["half \\ud800", NaN]}]}'
    )
    answer = await anna.post("/memory/sessions", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 202
    assert [entry.payload for entry in await entries(memory, "s1")] == [["half ", "NaN"]]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"session_id": ""}, "session_id"),
        ({"session_id": "~"}, "session_id"),
        ({"session_id": "~a*"}, "session_id"),
        ({"session_id": "x" * 2001}, "session_id"),
        ({"at_once": "yes"}, "at_once"),
        ({"user_id": "ben"}, "user_id"),
        ({"entries": [said("e1", "x", at="2026-03-01T12:00:00")]}, "entries"),
        ({"entries": [said("e1", "x", at="9999-03-01T12:00:00Z")]}, "entries"),
        ({"entries": [said("e1", "x") | {"at": 1_700_000_000}]}, "entries[0].at"),
        ({"entries": [said("e1", "x", part=2**31)]}, "entries"),
        ({"entries": [said("e1", "x", part="1")]}, "entries[0].part"),
        ({"entries": [said("e1", "x", seconds="1")]}, "entries[0].seconds"),
        ({"entries": [said("e1", "x", partial=1)]}, "entries[0].partial"),
        ({"entries": [said("e1", "x"), said("e2", "x") | {"kind": "sung"}]}, "entries[1].kind"),
        ({"entries": [{"event_id": "e1"}]}, "entries[0].kind"),
        ({"entries": ["said"]}, "entries[0]"),
    ],
)
async def test_a_session_that_cannot_be_is_refused_by_field(
    anna: httpx.AsyncClient, change: dict[str, Any], field: str
) -> None:
    body = session("s1", said("e1", "x")) | change
    assert problem(await anna.post("/memory/sessions", json=body), 422)["field"] == field


async def test_a_time_in_a_zone_of_no_place_is_the_same_moment(memory: MemoryApp, anna: httpx.AsyncClient) -> None:
    await handed_over(anna, session("s1", said("e1", "x", at="2026-03-01T12:00:00-23:59")))
    [entry] = await entries(memory, "s1")
    assert entry.at.isoformat() == "2026-03-02T11:59:00+00:00"


async def test_progress_waits_until_the_session_is_stored(memory: MemoryApp, anna: httpx.AsyncClient) -> None:
    revision = await handed_over(anna, session("s1", said("e1", "I use US_PRIMARY"), said("e2", "ok", author="agent")))
    assert await progress(anna, "s1") == {
        "session_id": "s1", "revision": 1, "stored": False, "given_up": False, "error": "",
    }  # fmt: skip
    waiting = asyncio.create_task(progress(anna, "s1", revision=revision, wait=20))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    await memory.save_session(ANNA, "s1", revision)
    assert (await waiting)["stored"]
    assert "I use US_PRIMARY" in await texts(anna)
    assert not (await progress(anna, "s1", revision=2))["stored"]


async def test_progress_ends_when_the_wait_is_up_and_when_a_save_is_given_up(
    memory: MemoryApp, anna: httpx.AsyncClient
) -> None:
    revision = await handed_over(anna, session("s1", said("e1", "x")))
    begun = time.monotonic()
    assert not (await progress(anna, "s1", revision=revision, wait=0.2))["stored"]
    assert time.monotonic() - begun >= 0.2
    await memory.database.inbox.mark_failed(ANNA, "s1", revision, "the model is away", final=True)
    told = await progress(anna, "s1", revision=revision, wait=30)
    assert (told["given_up"], told["error"]) == (True, "the model is away")


async def test_progress_of_a_session_erased_meanwhile_is_not_found(memory: MemoryApp, anna: httpx.AsyncClient) -> None:
    await handed_over(anna, session("s1", said("e1", "x")))
    waiting = asyncio.create_task(anna.get("/memory/sessions/s1", params={"wait": 20}))
    await asyncio.sleep(0.05)
    await memory.database.memories.erase_session(ANNA, "s1")
    problem(await waiting, 404)


@pytest.mark.parametrize("parameters", [{"wait": 31}, {"wait": -1}, {"wait": "nan"}, {"revision": -1}, {"waits": 1}])
async def test_a_wait_has_limits(anna: httpx.AsyncClient, parameters: dict[str, Any]) -> None:
    await handed_over(anna, session("s1", said("e1", "x")))
    [field] = parameters
    assert problem(await anna.get("/memory/sessions/s1", params=parameters), 422)["field"] == field


async def test_a_session_id_with_slashes_may_also_stand_as_it_is(anna: httpx.AsyncClient) -> None:
    await handed_over(anna, session("2026/03/close", said("e1", "x")))
    for written in ("2026/03/close", "2026%2F03%2Fclose"):
        assert (await anna.get(f"/memory/sessions/{written}")).json()["session_id"] == "2026/03/close"
    assert (await anna.delete("/memory/sessions/2026%2F03%2Fclose")).json()["sessions"] == 1


@pytest.mark.parametrize("session_id", ["a/b", "~tilde", "2026-03-01", "search", "Ünï 中", "a\nb", "."])
async def test_any_session_id_is_reached_in_a_url(anna: httpx.AsyncClient, session_id: str) -> None:
    handed = session_id if not session_id.startswith("~") else url_key(session_id)
    await handed_over(anna, session(handed, said("e1", "x")))
    assert (await progress(anna, session_id))["session_id"] == handed
    erased = await anna.delete(f"/memory/sessions/{url_key(session_id)}")
    assert erased.json()["sessions"] == 1


@pytest.mark.parametrize("session_id", ["\n", "\nclose", "close\n", "a\n/\nb", "\r\n\x85\u2028"])
async def test_a_session_id_with_line_breaks_may_stand_as_it_is(anna: httpx.AsyncClient, session_id: str) -> None:
    await handed_over(anna, session(session_id, said("e1", "x")))
    address = f"/memory/sessions/{quote(session_id)}"
    assert (await anna.get(address)).json()["session_id"] == session_id
    assert (await anna.delete(address)).json()["sessions"] == 1


@pytest.mark.parametrize("method", ["DELETE", "GET"])
@pytest.mark.parametrize("written", ["", "~", "%7E", "~="])
async def test_an_empty_session_id_is_refused_and_what_came_without_a_session_stays(
    anna: httpx.AsyncClient, method: str, written: str
) -> None:
    await add(anna, "Added by the host.")
    answer = await anna.request(method, f"/memory/sessions/{written}")
    assert problem(answer, 422)["field"] == "session_id"
    assert await texts(anna) == ["Added by the host."]


async def test_a_plain_id_may_be_percent_encoded_instead(anna: httpx.AsyncClient) -> None:
    await handed_over(anna, session("close of märz", said("e1", "x")))
    answer = await anna.get("/memory/sessions/close%20of%20m%C3%A4rz")
    assert answer.json()["session_id"] == "close of märz"


async def test_another_persons_session_is_not_found_nor_erased(anna: httpx.AsyncClient, ben: httpx.AsyncClient) -> None:
    await handed_over(anna, session("s1", said("e1", "x")))
    problem(await ben.get("/memory/sessions/s1"), 404)
    assert (await ben.delete("/memory/sessions/s1")).json()["sessions"] == 0
    assert (await progress(anna, "s1"))["revision"] == 1


async def test_an_erased_session_does_not_come_back(memory: MemoryApp, anna: httpx.AsyncClient) -> None:
    body = session("s1", said("e1", "I use US_PRIMARY"), said("e2", "ok", author="agent"))
    await memory.save_session(ANNA, "s1", await handed_over(anna, body))
    erased = (await anna.delete("/memory/sessions/s1")).json()
    assert (erased["memories"], erased["sessions"]) == (1, 1)
    assert await handed_over(anna, body) == 0
    assert await texts(anna) == []


async def test_handing_over_again_at_once_hurries_what_waits_to_settle(
    memory: MemoryApp, anna: httpx.AsyncClient
) -> None:
    body = session("s1", said("e1", "I use US_PRIMARY"), said("e2", "ok", author="agent"))
    async with memory.working():
        revision = await handed_over(anna, body)
        assert not (await progress(anna, "s1", revision=revision, wait=1))["stored"]
        assert await handed_over(anna, session("s1", at_once=True)) == revision
        assert (await progress(anna, "s1", revision=revision, wait=30))["stored"]

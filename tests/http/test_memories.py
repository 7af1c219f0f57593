"""Listing, reading, adding, correcting and erasing memories over HTTP."""

from typing import Any

import httpx
import pytest
from langgraph.store.postgres import AsyncPostgresStore

from tests.http.callers import ANNA
from tests.http.samples import NOON, add, problem, said, texts
from twofold.app import MemoryApp
from twofold.memory.keys import url_key
from twofold.memory.scope import namespace
from twofold.memory.transcript import Entry, Transcript
from twofold.nodes.plain import ENTRIES


async def episode(memory: MemoryApp) -> str:
    """Store the episode of a session; return its key."""
    entries: tuple[Entry, ...] = ENTRIES.validate_python(
        [
            said("e1", "Close company 1000"),
            {"event_id": "e2", "kind": "called", "author": "agent", "at": NOON, "tool": "close", "call_id": "c1"},
            {"event_id": "e3", "kind": "returned", "author": "agent", "at": NOON, "tool": "close", "call_id": "c1"},
        ]
    )
    revision = await memory.accept(ANNA, Transcript(session_id="s1", entries=entries))
    await memory.save_session(ANNA, "s1", revision)
    [stored] = await memory.memories(ANNA, "episodic")
    return stored.key


async def test_pages_bring_each_memory_once_the_newest_first(anna: httpx.AsyncClient) -> None:
    for hour in range(5):
        await add(anna, f"fact {hour} a", f"fact {hour} b", at=f"2026-03-01T{hour:02}:00:00Z")
    found: list[str] = []
    parameters: dict[str, Any] = {"limit": 3}
    while True:
        page = (await anna.get("/memory", params=parameters)).json()
        found += [memory["text"] for memory in page["memories"]]
        if page["next"] is None:
            break
        parameters["cursor"] = page["next"]
    assert sorted(found) == sorted(f"fact {hour} {name}" for hour in range(5) for name in "ab")
    assert [text.split()[1] for text in found] == [str(hour) for hour in (4, 4, 3, 3, 2, 2, 1, 1, 0, 0)]


async def test_a_listing_is_filtered_by_kind_words_and_time(memory: MemoryApp, anna: httpx.AsyncClient) -> None:
    await episode(memory)
    await add(anna, "The Ledger is US_PRIMARY", at="2026-02-01T00:00:00Z")
    await add(anna, "reports are due on day 3", at="2026-02-02T00:00:00+01:00")
    assert len(await texts(anna)) == 4
    assert len(await texts(anna, kind="episodic")) == 1
    assert await texts(anna, text="ledger is us_") == ["The Ledger is US_PRIMARY"]
    assert await texts(anna, text="ledger%") == []
    assert await texts(anna, since="2026-02-01T23:00:00Z", until=NOON) == ["reports are due on day 3"]
    assert await texts(anna, until="2026-02-01T23:00:00Z") == ["The Ledger is US_PRIMARY"]


@pytest.mark.parametrize(
    ("parameters", "field", "limit"),
    [
        ({"kinds": "semantic"}, "kinds", None),
        ({"kind": "facts"}, "kind", "'semantic' or 'episodic'"),
        ({"limit": 0}, "limit", "at least 1"),
        ({"limit": 201}, "limit", "at most 200"),
        ({"since": "2026-03-01T12:00:00"}, "since", "a time with its zone, as 2026-03-01T12:00:00Z"),
        ({"since": "1700000000"}, "since", "a time with its zone, as 2026-03-01T12:00:00Z"),
        ({"until": "9999-12-31T23:59:59Z"}, "until", "of the years 2 to 9998"),
        ({"cursor": "%00"}, "cursor", None),
        ({"cursor": "bm90IGEgY3Vyc29y"}, "cursor", None),
        ({"text": "x" * 1001}, "text", "at most 1000 characters"),
    ],
)
async def test_a_listing_that_cannot_be_is_refused_by_field_and_limit(
    anna: httpx.AsyncClient, parameters: dict[str, Any], field: str, limit: str | None
) -> None:
    told = problem(await anna.get("/memory", params=parameters), 422)
    assert (told["field"], told.get("limit")) == (field, limit)


async def test_a_cursor_serves_its_own_query_only(anna: httpx.AsyncClient) -> None:
    await add(anna, "one", "two", "three")
    cursor = (await anna.get("/memory", params={"limit": 1})).json()["next"]
    assert len(await texts(anna, cursor=cursor, limit=200)) == 2
    told = problem(await anna.get("/memory", params={"cursor": cursor, "kind": "semantic"}), 422)
    assert told["detail"] == "cursor: is not one of this query; leave it out to begin anew"


async def test_nobody_sees_changes_or_erases_what_is_another_persons(
    anna: httpx.AsyncClient, ben: httpx.AsyncClient
) -> None:
    [key] = await add(anna, "Anna's ledger is US_PRIMARY")
    assert await texts(ben) == []
    problem(await ben.get(f"/memory/{key}"), 404)
    problem(await ben.get(f"/memory/{key}/history"), 404)
    problem(await ben.put(f"/memory/{key}", json={"text": "Ben's"}), 404)
    problem(await ben.delete(f"/memory/{key}"), 404)
    assert (await ben.delete("/memory")).json()["memories"] == 0
    assert (await ben.post("/memory/search", json={"query": "ledger"})).json() == {"facts": [], "episodes": []}
    assert await texts(anna) == ["Anna's ledger is US_PRIMARY"]


async def test_a_memory_is_read_by_its_key(anna: httpx.AsyncClient) -> None:
    [key] = await add(anna, "The ledger is US_PRIMARY")
    read = (await anna.get(f"/memory/{key}")).json()
    assert (read["key"], read["kind"], read["text"], read["rev"]) == (key, "semantic", "The ledger is US_PRIMARY", 1)
    assert [(source["session_id"], source["origin"], source["at"]) for source in read["sources"]] == [
        ("", "host", NOON)
    ]


@pytest.mark.parametrize("key", ["unknown", "%00", "~7aCA", "~AA", "%F0%9F%92%A9", "~", "export%20", "a" * 3000])
async def test_a_key_of_nothing_is_not_found(anna: httpx.AsyncClient, key: str) -> None:
    for answer in (
        await anna.get(f"/memory/{key}"),
        await anna.get(f"/memory/{key}/history"),
        await anna.put(f"/memory/{key}", json={"text": "x"}),
        await anna.delete(f"/memory/{key}"),
    ):
        problem(answer, 404)


async def test_a_key_that_is_none_is_refused(anna: httpx.AsyncClient) -> None:
    assert problem(await anna.get("/memory/~a*b"), 422)["field"] == "key"


@pytest.mark.parametrize("key", ["health", "a/b c", "~", "ключ", "."])
async def test_a_key_that_stock_code_chose_is_reached_by_its_encoded_form(
    memory: MemoryApp, anna: httpx.AsyncClient, key: str
) -> None:
    async with AsyncPostgresStore.from_conn_string(memory.database.url) as stock:
        await stock.aput(namespace(ANNA, "semantic"), key, {"content": "from stock code"})
    [listed] = (await anna.get("/memory")).json()["memories"]
    assert listed["key"] == url_key(key)
    assert (await anna.get(f"/memory/{listed['key']}")).json() == listed
    assert (await anna.put(f"/memory/{listed['key']}", json={"text": "in my words"})).json()["rev"] == 2
    assert (await anna.delete(f"/memory/{listed['key']}")).json()["memories"] == 1


async def test_added_facts_are_kept_as_worded_without_secrets(anna: httpx.AsyncClient) -> None:
    assert len(await add(anna, "The ledger is US_PRIMARY", "\x00 password: hunter22 \n")) == 2
    assert set(await texts(anna)) == {"The ledger is US_PRIMARY", "password: [redacted: password]"}
    again = await anna.post("/memory", json={"memories": [{"text": "the LEDGER is us_primary"}]})
    assert [item["action"] for item in again.json()["stored"]] == ["NOOP"]


@pytest.mark.parametrize(
    ("memories", "field"),
    [
        ([], "memories"),
        ([{"text": "a"}] * 1001, "memories"),
        ([{"text": "a"}, {"text": " \x00\n"}], "memories[1].text"),
        ([{"text": "a" * 10_001}], "memories[0].text"),
        ([{"text": "a", "at": 0}], "memories[0].at"),
        ([{"text": "a", "at": "2026-03-01"}], "memories[0].at"),
        ([{"text": "a", "at": "0001-01-01T00:00:00Z"}], "memories[0].at"),
        ([{"text": "a", "user_id": "ben"}], "memories[0].user_id"),
        ([{"text": 1}], "memories[0].text"),
        ("all", "memories"),
    ],
)
async def test_what_cannot_be_added_is_refused_and_nothing_is_stored(
    anna: httpx.AsyncClient, memories: Any, field: str
) -> None:
    assert problem(await anna.post("/memory", json={"memories": memories}), 422)["field"] == field
    assert await texts(anna) == []


async def test_half_a_character_is_refused(anna: httpx.AsyncClient) -> None:
    body = b'{"memories": [{"text": "half \\ud800"}]}'
    answer = await anna.post("/memory", content=body, headers={"content-type": "application/json"})
    assert problem(answer, 422)["field"] == "memories[0].text"


async def test_a_fact_is_corrected_in_the_persons_own_words(anna: httpx.AsyncClient) -> None:
    [key] = await add(anna, "The ledger is US_PRIMARY")
    corrected = (await anna.put(f"/memory/{key}", json={"text": "The ledger is EU_PRIMARY", "rev": 1})).json()
    assert (corrected["key"], corrected["text"], corrected["rev"]) == (key, "The ledger is EU_PRIMARY", 2)
    assert [source["origin"] for source in corrected["sources"]] == ["host", "user"]
    found = (await anna.post("/memory/search", json={"query": "EU_PRIMARY"})).json()["facts"]
    assert [(fact["text"], fact["exact"]) for fact in found] == [("The ledger is EU_PRIMARY", True)]
    changes = (await anna.get(f"/memory/{key}/history")).json()["changes"]
    assert [(change["action"], change["before"], change["after"], change["origin"]) for change in changes] == [
        ("UPDATE", "The ledger is US_PRIMARY", "The ledger is EU_PRIMARY", "user"),
        ("ADD", "", "The ledger is US_PRIMARY", "host"),
    ]
    assert len((await anna.get(f"/memory/{key}/history", params={"limit": 1})).json()["changes"]) == 1


async def test_a_correction_of_an_older_wording_is_a_conflict_that_names_both(anna: httpx.AsyncClient) -> None:
    [key] = await add(anna, "one")
    await anna.put(f"/memory/{key}", json={"text": "two"})
    told = problem(await anna.put(f"/memory/{key}", json={"text": "three", "rev": 1}), 409)
    assert told["detail"] == "The fact is at rev 2, and rev 1 was corrected: read it again"
    assert told["type"] == "urn:twofold:problem:Conflict"
    assert await texts(anna) == ["two"]


async def test_what_happened_is_not_corrected(memory: MemoryApp, anna: httpx.AsyncClient) -> None:
    told = problem(await anna.put(f"/memory/{await episode(memory)}", json={"text": "It went well"}), 422)
    assert told["detail"] == "key: an episode is what happened; only facts are corrected"


@pytest.mark.parametrize("body", [{"text": " \x07"}, {"text": ""}, {"text": "a", "rev": -1}, {"text": "a", "rev": "1"}])
async def test_a_correction_that_cannot_be_is_refused(anna: httpx.AsyncClient, body: dict[str, Any]) -> None:
    [key] = await add(anna, "one")
    problem(await anna.put(f"/memory/{key}", json=body), 422)
    assert await texts(anna) == ["one"]


async def test_an_erased_memory_is_gone_and_its_history_keeps_no_words(anna: httpx.AsyncClient) -> None:
    [key] = await add(anna, "The ledger is US_PRIMARY")
    erased = (await anna.delete(f"/memory/{key}")).json()
    assert {name: count for name, count in erased.items() if isinstance(count, int) and count} == {
        "memories": 1, "vectors": 1, "audit_entries": 1, "tombstones": 1,
    }  # fmt: skip
    assert set(erased["remaining"].values()) == {0}
    assert erased["at"]
    problem(await anna.get(f"/memory/{key}"), 404)
    problem(await anna.delete(f"/memory/{key}"), 404)
    changes = (await anna.get(f"/memory/{key}/history")).json()["changes"]
    assert [(change["action"], change["before"], change["after"]) for change in changes] == [
        ("ERASE", "", ""),
        ("ADD", "", ""),
    ]


async def test_what_a_search_for_a_session_id_no_json_can_hold_brings_can_be_read(
    memory: MemoryApp, anna: httpx.AsyncClient
) -> None:
    entries: tuple[Entry, ...] = ENTRIES.validate_python([said("e1", "remember me"), said("e2", "and me")])
    revision = await memory.accept(ANNA, Transcript(session_id="half \ud800", entries=entries))
    await memory.save_session(ANNA, "half \ud800", revision)
    listed = (await anna.get("/memory")).json()["memories"]
    assert {source["session_id"] for fact in listed for source in fact["sources"]} == {url_key("half \ud800")}
    answer = await anna.post(
        "/memory/search", json={"query": "remember", "except_session": listed[0]["sources"][0]["session_id"]}
    )
    assert answer.json() == {"facts": [], "episodes": []}

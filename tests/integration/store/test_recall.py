"""Searching by meaning and by identifier, and listing."""

import math
import random
from dataclasses import replace
from datetime import timedelta

import pytest
from langgraph.store.postgres import AsyncPostgresStore
from psycopg.types.json import Jsonb

from tests.integration.store.conftest import Store
from tests.integration.store.samples import (
    ANNA,
    BEN,
    DIMS,
    NOON,
    add,
    episode,
    facts,
    found,
    later,
    remember,
    save_of,
    vector,
    vectors,
)
from twofold.memory.jsontypes import Json
from twofold.store.langgraph_tables import Known
from twofold.store.pool import borrowed
from twofold.store.rows import prefix_of


async def test_the_most_similar_come_first_with_their_similarity(store: Store) -> None:
    await remember(store.memories, add("red green blue"), add("red green"), add("quite other words"))
    result = await store.memories.search(ANNA, "semantic", query="red green", vector=vector("red green"), limit=2)
    assert [memory.text for memory in result] == ["red green", "red green blue"]
    assert [round(memory.score or 0, 2) for memory in result] == [1.0, 0.82]


async def test_an_exact_identifier_comes_in_however_unlike_the_rest_is(store: Store) -> None:
    await remember(store.memories, *(add(f"close company 1010 for period {month}") for month in range(20, 40)))
    await remember(store.memories, add("wholly different wording, yet about 1000"))
    result = await store.memories.search(
        ANNA,
        "semantic",
        query="close company 1000 for period",
        vector=vector("close company 1010 for period"),
        limit=12,
    )
    assert "wholly different wording, yet about 1000" in [memory.text for memory in result]
    assert len(result) == 12


@pytest.mark.parametrize("except_session", [None, "s1"])
async def test_an_identifier_that_several_sessions_mention_is_found_exactly(
    store: Store, except_session: str | None
) -> None:
    await remember(store.memories, *(add(f"close the books {name}") for name in "abcdefghij"))
    for session_id in ("s1", "s2"):
        await remember(store.memories, add("ledger US_PRIMARY", session_id), session_id=session_id)
    result = await store.memories.search(
        ANNA,
        "semantic",
        query="US_PRIMARY",
        vector=vector("close the books"),
        limit=2,
        except_session=except_session,
    )
    assert "ledger US_PRIMARY" in [memory.text for memory in result]


async def test_exact_identifiers_take_at_most_half_of_the_places(store: Store) -> None:
    await remember(store.memories, *(add(f"US_PRIMARY note number {name}") for name in "abcdefghij"))
    await remember(store.memories, *(add(f"close the books {name}") for name in "klmnopqrst"))
    result = await store.memories.search(
        ANNA, "semantic", query="US_PRIMARY", vector=vector("close the books"), limit=6
    )
    assert sum("US_PRIMARY" in memory.text for memory in result) == 3
    assert len(result) == 6


@pytest.mark.parametrize("limit", [0, 1, 2])
async def test_a_limit_is_kept(store: Store, limit: int) -> None:
    await remember(store.memories, add("one 1000"), add("two 1000"), add("three 1000"))
    result = await store.memories.search(ANNA, "semantic", query="1000", vector=vector("one"), limit=limit)
    assert len(result) == limit


async def test_memories_of_the_session_in_progress_alone_are_left_out(store: Store) -> None:
    await remember(store.memories, add("from here only 1000"), add("from here and there"))
    await remember(store.memories, add("from here and there", "s2"), add("from there", "s2"), session_id="s2")
    result = await store.memories.search(
        ANNA, "semantic", query="1000", vector=vector("from"), limit=9, except_session="s1"
    )
    assert {memory.text for memory in result} == {"from here and there", "from there"}


async def test_an_expired_memory_is_neither_found_nor_listed_nor_got(store: Store) -> None:
    [key] = await remember(store.memories, add("will expire 1000"))
    store.clock.pass_days(31)
    assert await found(store.memories, "will expire 1000") == []
    assert await facts(store.memories) == ()
    assert await store.memories.get(ANNA, key) is None


async def test_the_expired_take_no_place_of_the_living(store: Store) -> None:
    await remember(store.memories, *(add(f"near {number}") for number in range(15)))
    store.clock.pass_days(31)
    await remember(store.memories, add("far away"))
    assert await found(store.memories, "near") == ["far away"]


async def test_facts_and_episodes_are_searched_apart(store: Store) -> None:
    await remember(store.memories, add("closed the books"), episode("closed the books"))
    assert len(await found(store.memories, "closed the books")) == 1
    assert len(await found(store.memories, "closed the books", kind="episodic")) == 1


async def test_a_large_scope_is_searched_exactly(store: Store) -> None:
    drawn = random.Random(7)  # noqa: S311
    known = {f"fact {number}": [drawn.gauss(0, 1) for _ in range(DIMS)] for number in range(1500)}
    await store.memories.save(save_of(*(add(text) for text in known)), known)
    sought = [drawn.gauss(0, 1) for _ in range(DIMS)]

    def likeness(numbers: list[float]) -> float:
        return sum(a * b for a, b in zip(numbers, sought, strict=True)) / math.hypot(*numbers)

    nearest = sorted(known, key=lambda text: -likeness(known[text]))[:12]
    async with borrowed(store.pool) as connection:
        await connection.execute("ANALYZE")
    result = await store.memories.search(ANNA, "semantic", query="", vector=sought, limit=12)
    assert [memory.text for memory in result] == nearest


async def test_a_list_pages_by_the_newest_event_and_filters_by_workflow_and_time(store: Store) -> None:
    for number in range(5):
        session_id = f"s{number}"
        told = episode(f"run {number}", ANNA, session_id, at=later(number), workflow="close" if number % 2 else "other")
        await remember(store.memories, told, session_id=session_id)

    async def listed(**filters: object) -> list[str]:
        memories = await store.memories.list_memories(ANNA, "episodic", **filters)  # type: ignore[arg-type]
        return [memory.text for memory in memories]

    assert await listed(limit=2) == ["run 4", "run 3"]
    assert await listed(limit=2, offset=2) == ["run 2", "run 1"]
    assert await listed(workflow="close") == ["run 3", "run 1"]
    assert await listed(since=NOON + timedelta(minutes=3)) == ["run 4", "run 3"]


async def test_rows_of_stock_langgraph_and_langmem_code_are_listed_and_found(store: Store) -> None:
    texts = vectors("User likes tables", '{"a": 1}', "User likes charts")
    async with borrowed(store.pool) as connection:
        stock = AsyncPostgresStore(
            connection, index={"dims": DIMS, "embed": Known(texts), "fields": ["content.content"]}
        )
        namespace = ("acme", "semantic", "anna")
        await stock.aput(namespace, "k1", {"kind": "Memory", "content": {"content": "User likes tables"}})
        await stock.aput(namespace, "k2", {"kind": "Plan", "content": {"goal": "close", "note": ""}}, index=False)
        await stock.aput(namespace, "k3", {"anything": "else"}, index=False)
        await stock.aput((*namespace[:2], "ben"), "k4", {"content": {"content": "User likes charts"}})
        assert stock._task is not None
        stock._task.cancel()
    assert await found(store.memories, "User likes tables") == ["User likes tables"]
    listed = {memory.key: memory.text for memory in await facts(store.memories)}
    assert listed == {"k1": "User likes tables", "k2": "goal: close", "k3": "anything: else"}
    [tables] = [memory for memory in await facts(store.memories) if memory.key == "k1"]
    assert (tables.sources, tables.rev, tables.content) == ((), 1, {"content": "User likes tables"})
    assert await found(store.memories, "charts", scope=BEN) == ["User likes charts"]


@pytest.mark.parametrize(
    "value",
    [
        [],
        "text",
        3,
        None,
        {"content": "x", "updated_at": "2026-01-01T00:00:00", "created_at": "2026-01-01"},
        {"text": 5, "content": None, "sources": "x", "rev": "y", "created_at": 1, "updated_at": "never"},
        {
            "content": {"content": 7},
            "sources": [1, {"session_id": 3, "event_ids": [4], "at": "x", "origin": "y"}],
        },
    ],
    ids=str,
)
async def test_no_value_of_somebody_else_breaks_a_list(store: Store, value: object) -> None:
    async with borrowed(store.pool) as connection:
        await connection.execute(
            "INSERT INTO public.store (prefix, key, value) VALUES (%s, 'k', %s)",
            (prefix_of(ANNA, "semantic"), Jsonb(value)),
        )
    [memory] = await facts(store.memories)
    assert memory.key == "k"
    assert memory.updated_at.tzinfo is not None
    assert memory.created_at.tzinfo is not None


async def test_a_list_and_a_search_re_date_nothing(store: Store) -> None:
    [key] = await remember(store.memories, add("fact"))
    store.clock.pass_days(2)
    await facts(store.memories)
    await found(store.memories, "fact")
    await store.memories.get(ANNA, key)
    store.clock.pass_days(28.5)
    assert await facts(store.memories) == ()


async def test_a_search_tells_which_memories_hold_an_identifier_of_the_query(store: Store) -> None:
    await remember(store.memories, *(add(f"US_PRIMARY note {name}") for name in "abc"), add("another note"))
    result = await store.memories.search(ANNA, "semantic", query="note US_PRIMARY", vector=vector("note"), limit=4)
    assert {memory.text: memory.exact for memory in result} == {
        "US_PRIMARY note a": True,
        "US_PRIMARY note b": True,
        "US_PRIMARY note c": True,
        "another note": False,
    }


async def test_an_identifier_in_an_argument_that_the_text_leaves_out_is_found(store: Store) -> None:
    steps: list[Json] = [{"tool": "post", "args": {"invoice": "INV-90012345"}}]
    change = replace(episode("posted some invoices", ANNA, "s1", "e1"), content={"runs": [{"steps": steps}]})
    await remember(store.memories, change)
    for query in ("INV-90012345", "90012345"):
        (memory,) = await store.memories.search(ANNA, "episodic", query=query, vector=vector("other"), limit=4)
        assert memory.exact

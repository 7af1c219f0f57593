"""Listing memories page by page."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langgraph.store.postgres import AsyncPostgresStore
from psycopg.types.json import Jsonb

from tests.integration.store.conftest import TTL_DAYS, Store
from tests.integration.store.samples import ANNA, BEN, NOON, add, episode, later, remember
from twofold.memory.errors import InvalidInput
from twofold.memory.memories import Memory, Position
from twofold.memory.scope import Kind, namespace
from twofold.store.pool import borrowed


def texts(memories: Sequence[Memory]) -> list[str]:
    return [memory.text for memory in memories]


async def pages(store: Store, limit: int, **filters: Any) -> list[list[str]]:
    """Return the texts of all pages, one after another."""
    found: list[list[str]] = []
    after: Position | None = None
    while True:
        page = await store.memories.page(ANNA, limit=limit, after=after, **filters)
        found.append(texts(page.memories))
        after = page.next
        if after is None:
            return found


async def stock(store: Store, key: str, value: dict[str, Any], kind: Kind = "semantic") -> None:
    """Write a row as LangGraph's own store does."""
    async with AsyncPostgresStore.from_conn_string(store.url) as other:
        await other.aput(namespace(ANNA, kind), key, value)


async def test_both_kinds_come_in_one_order_the_newest_event_first(store: Store) -> None:
    for minute, name in enumerate("abcd"):
        await remember(
            store.memories, add(f"fact {name}", f"s{minute}", at=later(10 * minute)), session_id=f"s{minute}"
        )
        told = episode(f"episode {name}", ANNA, f"s{minute}", at=later(10 * minute + 5))
        await remember(store.memories, told, session_id=f"s{minute}")
    page = await store.memories.page(ANNA)
    assert texts(page.memories) == [f"{what} {name}" for name in "dcba" for what in ("episode", "fact")]
    assert page.next is None
    assert texts((await store.memories.page(ANNA, kind="episodic")).memories) == [f"episode {name}" for name in "dcba"]


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 20])
async def test_pages_bring_every_memory_once_though_all_are_of_one_time(store: Store, limit: int) -> None:
    await remember(store.memories, *(add(f"fact {number}") for number in range(12)), episode("the episode"))
    found = await pages(store, limit)
    assert sorted(text for page in found for text in page) == sorted(
        ["the episode", *(f"fact {number}" for number in range(12))]
    )
    assert [len(page) for page in found[:-1]] == [limit] * (len(found) - 1)


async def test_the_last_page_is_told_even_when_it_is_full(store: Store) -> None:
    await remember(store.memories, *(add(f"fact {number}") for number in range(4)))
    assert [len(page) for page in await pages(store, 2)] == [2, 2]


async def test_a_page_goes_on_behind_its_position_whatever_was_added_or_erased_meanwhile(store: Store) -> None:
    keys = await remember(store.memories, *(add(f"fact {number}", at=later(number)) for number in range(6)))
    first = await store.memories.page(ANNA, limit=3)
    assert texts(first.memories) == ["fact 5", "fact 4", "fact 3"]
    await remember(store.memories, add("a new one", at=later(60)))
    await store.memories.erase_memory(ANNA, keys[3])
    second = await store.memories.page(ANNA, limit=3, after=first.next)
    assert texts(second.memories) == ["fact 2", "fact 1", "fact 0"]


async def test_one_key_in_both_kinds_is_two_places(store: Store) -> None:
    for kind in ("semantic", "episodic"):
        await stock(store, "k", {"content": f"stock {kind}"}, kind)
    async with borrowed(store.pool) as connection:
        await connection.execute("UPDATE public.store SET updated_at = '2026-01-01'")
    assert sorted(text for page in await pages(store, 1) for text in page) == ["stock episodic", "stock semantic"]


async def test_what_has_expired_is_not_listed_and_a_listing_prolongs_nothing(store: Store) -> None:
    await remember(store.memories, add("old"))
    store.clock.pass_days(TTL_DAYS - 1)
    assert texts((await store.memories.page(ANNA)).memories) == ["old"]
    store.clock.pass_days(1)
    assert (await store.memories.page(ANNA)).memories == ()


async def test_only_the_scopes_own_memories_are_listed(store: Store) -> None:
    await remember(store.memories, add("Ben's"), scope=BEN)
    await remember(store.memories, add("Anna's"))
    page = await store.memories.page(BEN)
    assert texts(page.memories) == ["Ben's"]
    position = Position(at=later(60), key="zzz", kind="semantic")
    assert texts((await store.memories.page(ANNA, after=position)).memories) == ["Anna's"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("LEDGER", ["the ledger is US_PRIMARY"]),
        ("us_p", ["the ledger is US_PRIMARY"]),
        ("us%p", []),
        ("100%", ["100% of ÄRGER \\ is gone"]),
        ("ärger", ["100% of ÄRGER \\ is gone"]),
        ("\\", ["100% of ÄRGER \\ is gone"]),
        ("_", ["the ledger is US_PRIMARY"]),
        ("", ["the ledger is US_PRIMARY", "100% of ÄRGER \\ is gone"]),
        ("nothing of it", []),
    ],
)
async def test_words_are_found_in_any_case_and_stand_for_nothing_else(
    store: Store, text: str, found: list[str]
) -> None:
    await remember(store.memories, add("the ledger is US_PRIMARY", at=later(1)), add("100% of ÄRGER \\ is gone"))
    assert texts((await store.memories.page(ANNA, text=text)).memories) == found


async def test_words_of_an_episode_are_found_and_not_its_data(store: Store) -> None:
    await remember(store.memories, episode("Closed company 1000", workflow="period close"))
    assert len((await store.memories.page(ANNA, text="company 1000")).memories) == 1
    assert (await store.memories.page(ANNA, text="period close")).memories == ()


async def test_times_are_from_the_one_to_before_the_other(store: Store) -> None:
    await remember(store.memories, *(add(f"fact {minute}", at=later(minute)) for minute in range(4)))
    found = await store.memories.page(ANNA, since=later(1), until=later(3))
    assert texts(found.memories) == ["fact 2", "fact 1"]
    page = await store.memories.page(ANNA, since=later(1), limit=1)
    found = await store.memories.page(ANNA, since=later(1), after=page.next)
    assert texts(found.memories) == ["fact 2", "fact 1"]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"content": "plain words"}, "plain words"),
        ({"kind": "Memory", "content": {"content": "plain words"}}, "plain words"),
        ({"content": {"ledger": "US_PRIMARY", "empty": "", "day": 3}}, "ledger: US_PRIMARY"),
        ({"content": {"content": "", "ledger": "US"}}, "ledger: US"),
        ({"ledger": "US_PRIMARY"}, "ledger: US_PRIMARY"),
        ({"text": "", "content": "plain words"}, "plain words"),
        ({"text": 5, "content": "plain words"}, "plain words"),
        ({"content": ["a", "list"]}, "a"),
    ],
)
async def test_a_row_of_stock_code_is_listed_and_found_by_its_words(
    store: Store, value: dict[str, Any], words: str
) -> None:
    await stock(store, "k", value)
    [listed] = (await store.memories.page(ANNA)).memories
    assert words in listed.text
    assert [memory.key for memory in (await store.memories.page(ANNA, text=words.upper())).memories] == ["k"]
    assert (await store.memories.page(ANNA, text="nowhere")).memories == ()


async def test_a_row_of_stock_code_has_its_place_by_the_time_it_was_written(store: Store) -> None:
    now = store.clock.now()
    await remember(store.memories, add("before", at=now - timedelta(days=1)), add("after", at=now + timedelta(days=1)))
    await stock(store, "k", {"content": "stock"})
    assert [page[0] for page in await pages(store, 1)] == ["after", "stock", "before"]


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"limit": 0}, "limit: 0 is below 1"),
        ({"since": datetime(2026, 3, 1)}, "since: has no time zone"),  # noqa: DTZ001
        ({"until": datetime.max.replace(tzinfo=UTC)}, "until: is not of the years 2 to 9998"),
        ({"text": "a\x00b"}, "text: character 1 is"),
        ({"after": Position(at=NOON, key="\ud800", kind="semantic")}, "after: character 0 is"),
    ],
)
async def test_what_cannot_be_asked_is_refused_by_name(store: Store, filters: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        await store.memories.page(ANNA, **filters)


async def test_pages_agree_with_the_whole_listing_for_any_times(store: Store) -> None:
    chance = random.Random(7)  # noqa: S311 - a test, and the same each time
    for number in range(30):
        await remember(store.memories, add(f"fact {number}", at=later(chance.randrange(8))))
    async with borrowed(store.pool) as connection:
        await connection.execute("UPDATE public.store SET value = value || %s", (Jsonb({"more": 1}),))
    whole = await store.memories.list_memories(ANNA, "semantic")
    found = [text for page in await pages(store, 4) for text in page]
    assert sorted(found) == sorted(texts(whole))
    times = {memory.text: memory.updated_at for memory in whole}
    assert [times[text] for text in found] == sorted(times.values(), reverse=True)

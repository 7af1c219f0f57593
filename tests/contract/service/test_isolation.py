"""Nobody sees another person's memory, however alike the names are."""

from __future__ import annotations

import asyncio

import pytest

from tests.acceptance.host import session_of, stored
from twofold.adk import MemoryService
from twofold.models.open import Models

HOSTILE = [
    "1",
    "10",
    "100",
    " ",
    "%",
    "_",
    "a_b",
    "a%",
    "axb",
    "a/b",
    "a.b",
    "a",
    "A",
    "b",
    "anna.meier@acme.com",
    "anna.meier@acme.com.",
    "langgraph",
    "semantic",
    "x-ge",
    "h-a",
    "ä",
    "a\u0308",
    "用户",
    "🙂",
    "'; DROP TABLE store; --",
    "u" * 1_999,
    "u" * 2_000,
]
# No server lets anyone act for these.
HOSTILE_IN_PROCESS = ["", "a", "u" * 3_000, "u" * 3_001]


async def save(service: MemoryService, fact: str, *, app_name: str, user_id: str, session_id: str = "s") -> None:
    """Have a user say one thing."""
    turns = (("user", fact), ("clerk", "Noted."))
    await service.add_session_to_memory(session_of(*turns, session_id=session_id, user_id=user_id, app_name=app_name))


async def recalled(service: MemoryService, *, app_name: str, user_id: str) -> list[str]:
    """Return the facts a user gets."""
    found = await service.search_memory(app_name=app_name, user_id=user_id, query="My number is")
    return [(entry.content.parts or [])[0].text or "" for entry in found.memories]


async def test_users_with_hostile_ids_never_see_each_other(service: MemoryService) -> None:
    """The same session id everywhere; each finds the one fact that is theirs."""
    for number, user_id in enumerate(HOSTILE):
        await save(service, f"My number is {number}.", app_name="books", user_id=user_id)
    assert await service.flush(timeout=60) == 0
    for number, user_id in enumerate(HOSTILE):
        assert await recalled(service, app_name="books", user_id=user_id) == [f"My number is {number}."]


async def test_apps_with_hostile_names_never_see_each_other(service: MemoryService) -> None:
    """One user id in many apps."""
    for number, app_name in enumerate(HOSTILE):
        await save(service, f"My number is {number}.", app_name=app_name, user_id="anna")
    assert await service.flush(timeout=60) == 0
    for number, app_name in enumerate(HOSTILE):
        assert await recalled(service, app_name=app_name, user_id="anna") == [f"My number is {number}."]


async def test_in_process_no_id_is_too_short_or_too_long(database_url: str, models: Models) -> None:
    """Neither of a user nor of an app."""
    service = MemoryService(database_url, models=models)
    people = [*((name, "anna") for name in HOSTILE_IN_PROCESS), *(("books", name) for name in HOSTILE_IN_PROCESS)]
    for number, (app_name, user_id) in enumerate(people):
        await save(service, f"My number is {number}.", app_name=app_name, user_id=user_id)
    assert await service.flush(timeout=60) == 0
    for number, (app_name, user_id) in enumerate(people):
        assert await recalled(service, app_name=app_name, user_id=user_id) == [f"My number is {number}."]
    await service.close()


@pytest.mark.parametrize(
    ("one", "other"), [(("a/b", "c"), ("a", "b/c")), (("a.b", "c"), ("a", "b.c")), (("a", " "), (" ", "a"))]
)
async def test_the_border_between_app_and_user_cannot_be_moved(
    service: MemoryService, one: tuple[str, str], other: tuple[str, str]
) -> None:
    """Ids that read the same when joined are still two people."""
    await save(service, "My number is 1.", app_name=one[0], user_id=one[1])
    await service.flush()
    assert await recalled(service, app_name=other[0], user_id=other[1]) == []
    assert await recalled(service, app_name=one[0], user_id=one[1]) == ["My number is 1."]


async def test_the_id_of_another_persons_memory_deletes_nothing(service: MemoryService, database_url: str) -> None:
    """A memory id is worth nothing outside its scope."""
    await save(service, "My number is 1.", app_name="books", user_id="anna")
    await service.flush()
    found = await service.search_memory(app_name="books", user_id="anna", query="number")
    for user_id in ("ben", "ann", "%", " "):
        await service.delete_memory(app_name="books", user_id=user_id, memory_id=found.memories[0].id)
        await service.delete_user(app_name="books", user_id=user_id)
    assert stored(database_url) == ["My number is 1."]


async def test_two_users_saving_at_once_do_not_mix(service: MemoryService) -> None:
    """Six sessions of two users, accepted and stored concurrently."""
    saves = (
        save(service, f"My number is {user}{n}.", app_name="books", user_id=user, session_id=f"s{n}")
        for n in range(3)
        for user in ("1", "10")
    )
    await asyncio.gather(*saves)
    assert await service.flush(timeout=60) == 0
    for user in ("1", "10"):
        own = await recalled(service, app_name="books", user_id=user)
        assert sorted(own) == [f"My number is {user}{n}." for n in range(3)]

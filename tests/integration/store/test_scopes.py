"""Nothing is read, written, listed or erased outside its exact scope, whatever the ids are."""

from itertools import product

import pytest

from tests.integration.store.conftest import Store
from tests.integration.store.samples import (
    HOSTILE_IDS,
    add,
    episode,
    facts,
    found,
    remember,
    said,
    vector,
    vectors,
)
from twofold.memory.scope import Scope
from twofold.memory.verbatim import VerbatimText


def scopes() -> list[Scope]:
    ids = list(HOSTILE_IDS.values())
    as_users = [Scope(tenant_id="acme", user_id=user) for user in ids]
    as_tenants = [Scope(tenant_id=tenant, user_id="anna") for tenant in ids]
    return [*as_users, *as_tenants]


async def test_many_hostile_scopes_each_see_their_own_memory_only(store: Store) -> None:
    for number, scope in enumerate(scopes()):
        await remember(store.memories, add(f"own fact {number}"), episode(f"own run {number}", scope), scope=scope)
    for number, scope in enumerate(scopes()):
        assert await found(store.memories, "own fact", scope=scope) == [f"own fact {number}"]
        assert [memory.text for memory in await facts(store.memories, scope, "episodic")] == [f"own run {number}"]


@pytest.mark.parametrize("hostile", HOSTILE_IDS.values(), ids=HOSTILE_IDS)
async def test_a_hostile_id_works_in_every_place(store: Store, hostile: str) -> None:
    scope = Scope(tenant_id=hostile, user_id=hostile)
    accepted = await store.inbox.accept(scope, hostile, [said("e1", "hello")], settle=10)
    loaded = await store.inbox.load(scope, hostile)
    assert loaded is not None
    assert (loaded.transcript.session_id, loaded.revision) == (hostile, accepted.revision)
    await remember(
        store.memories,
        add("fact", hostile),
        episode("run", scope, hostile),
        scope=scope,
        session_id=hostile,
    )
    await store.kept.keep(scope, hostile, "semantic", "hash", {"a": 1})
    [fact] = await facts(store.memories, scope)
    assert fact.sources[0].session_id == hostile
    assert (await store.memories.history(scope))[0].session_id == hostile
    assert await store.memories.get(scope, fact.key) == fact
    await store.inbox.mark_done(scope, hostile, 1)
    assert await store.backlog.wait_done(scope, hostile, 1, timeout=0)
    assert await store.backlog.hurry(scope) == 0
    await store.memories.touch(scope)
    report = await store.memories.erase_session(scope, hostile)
    assert (report.memories, report.sessions, report.jobs) == (2, 1, 1)


@pytest.mark.parametrize("hostile", HOSTILE_IDS.values(), ids=HOSTILE_IDS)
async def test_a_person_with_a_hostile_id_is_erased_whole(store: Store, hostile: str) -> None:
    scope = Scope(tenant_id=hostile, user_id=hostile)
    await store.memories.add_verbatim(scope, [VerbatimText(text="given", at=None)], vectors("given"))
    await store.inbox.accept(scope, hostile, [said("e1")], settle=10)
    report = await store.memories.erase_user(scope)
    assert (report.memories, report.sessions, report.jobs) == (1, 1, 1)
    assert await facts(store.memories, scope) == ()


@pytest.mark.parametrize(
    ("mine", "other"), [("1", "10"), ("%", "anna"), ("_", "a"), ("", "anna"), ("a.b", "a")], ids=str
)
async def test_one_person_erases_and_reads_nothing_of_another(store: Store, mine: str, other: str) -> None:
    me, them = Scope(tenant_id="acme", user_id=mine), Scope(tenant_id="acme", user_id=other)
    [key] = await remember(store.memories, add("theirs"), scope=them)
    await store.inbox.accept(them, "s1", [said("e1")], settle=10)
    assert await store.memories.get(me, key) is None
    assert (await store.memories.erase_memory(me, key)).memories == 0
    await store.memories.erase_session(me, "s1")
    await store.memories.erase_user(me)
    assert await store.inbox.load(me, "s1") is None
    assert await store.memories.history(me, key) == ()
    assert [memory.text for memory in await facts(store.memories, them)] == ["theirs"]
    assert (await store.backlog.pending(them)).waiting == 1


async def test_the_same_session_id_of_two_people_is_two_sessions(store: Store) -> None:
    people = [Scope(tenant_id=t, user_id=u) for t, u in product(("acme", "zenith"), ("anna", "ben"))]
    for number, scope in enumerate(people):
        await store.inbox.accept(scope, "s1", [said(f"e{number}")], settle=10)
    for number, scope in enumerate(people):
        loaded = await store.inbox.load(scope, "s1")
        assert loaded is not None
        assert [entry.event_id for entry in loaded.transcript.entries] == [f"e{number}"]


@pytest.mark.parametrize("text", ["%", "'; DROP TABLE store; --", "\\", "a\x00b", "\ud800", ""], ids=repr)
async def test_no_query_text_breaks_a_search(store: Store, text: str) -> None:
    await remember(store.memories, add("fact 1000"))
    result = await store.memories.search(
        Scope(tenant_id="acme", user_id="anna"), "semantic", query=text, vector=vector("fact"), limit=3
    )
    assert [memory.text for memory in result] == ["fact 1000"]

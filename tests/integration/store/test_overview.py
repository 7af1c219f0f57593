"""What the operator of a database sees of everyone, and of the saves that are not done."""

import asyncio
from datetime import timedelta

import psycopg
import pytest

from tests.integration.store.conftest import Store
from tests.integration.store.samples import ANNA, BEN, HOSTILE_IDS, NOON, said, vectors
from tests.integration.store.test_worker import failing, working
from twofold.memory.errors import ModelFailed
from twofold.memory.scope import Scope
from twofold.memory.verbatim import VerbatimText
from twofold.store.jobs import JobFilter
from twofold.store.overview import Overview

EVERYONE = JobFilter()


@pytest.fixture
def overview(store: Store) -> Overview:
    return Overview(store.pool, clock=store.clock)


async def remember(store: Store, scope: Scope, *texts: str) -> None:
    await store.memories.add_verbatim(scope, [VerbatimText(text=text, at=NOON) for text in texts], vectors(*texts))


async def give_up(store: Store, scope: Scope, session_id: str) -> None:
    await store.inbox.accept(scope, session_id, [said("e")], 0)
    await store.inbox.mark_failed(scope, session_id, 1, "the model is away", final=True)


@pytest.mark.parametrize("name", HOSTILE_IDS)
async def test_a_person_is_known_by_the_ids_that_were_given(store: Store, overview: Overview, name: str) -> None:
    scope = Scope(tenant_id=HOSTILE_IDS[name], user_id=HOSTILE_IDS[name])
    await store.inbox.accept(scope, "s", [said("e")], 0)
    (person,) = await overview.people()
    assert person.scope == scope
    assert (person.memories, person.sessions) == (0, 1)
    assert await overview.people(tenant_id=scope.tenant_id, user_id=scope.user_id) == (person,)


@pytest.mark.parametrize("name", HOSTILE_IDS)
async def test_without_a_session_the_id_comes_from_its_label(store: Store, overview: Overview, name: str) -> None:
    scope = Scope(tenant_id="acme", user_id=HOSTILE_IDS[name])
    await remember(store, scope, "one")
    (person,) = await overview.people()
    assert person.scope in {scope, None}
    assert (person.scope is None) == (len(HOSTILE_IDS[name]) > 50)


async def test_the_last_used_come_first_and_nobody_of_whom_nothing_is_left(store: Store, overview: Overview) -> None:
    await remember(store, BEN, "one")
    store.clock.pass_days(3)
    await remember(store, ANNA, "one", "two")
    found = await overview.people()
    assert [(person.scope, person.memories) for person in found] == [(ANNA, 2), (BEN, 1)]
    assert found[0].last_used == store.clock.now().date()
    await store.memories.erase_user(BEN)
    store.clock.pass_days(31)
    assert await overview.people() == ()


async def test_pauses_are_those_of_each_person_alone(store: Store, overview: Overview) -> None:
    for scope, days in ((ANNA, (0, 1, 20, 21, 41)), (BEN, (5, 10, 15)), (Scope(tenant_id="b", user_id="anna"), (7,))):
        for day in days:
            await store.inbox.accept(scope, f"s{day}", [said(f"e{day}", at=NOON + timedelta(days=day))], 0)
    assert [(pause.shown, pause.days) for pause in await overview.long_pauses(15)] == [(("acme", "anna"), 19.5)]
    assert [pause.shown for pause in await overview.long_pauses(4)] == [("acme", "anna"), ("acme", "ben")]


async def test_keys_are_found_by_their_beginning_within_one_person(store: Store, overview: Overview) -> None:
    await remember(store, ANNA, "one", "two")
    await remember(store, BEN, "one")
    (ben,) = await store.memories.list_memories(BEN, "semantic")
    assert await overview.keys_beginning(BEN, ben.key[:8]) == (ben.key,)
    assert await overview.keys_beginning(ANNA, ben.key[:8]) == ()
    assert await overview.keys_beginning(BEN, "%") == ()
    assert len(await overview.keys_beginning(ANNA, "")) == 2
    await store.memories.erase_memory(BEN, ben.key)
    assert await overview.keys_beginning(BEN, ben.key[:8]) == (ben.key,)


async def test_a_worker_is_alive_while_it_beats(store: Store, overview: Overview) -> None:
    assert (await overview.workers()).live == 0
    async with working(store, failing(store, [])):
        async with asyncio.timeout(20):
            while not (await overview.workers()).live:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
    assert (await overview.workers()).live == 0


async def test_a_job_tells_how_often_it_failed_and_when_it_is_tried_next(store: Store) -> None:
    await store.inbox.accept(ANNA, "s", [said("e")], 0)
    async with working(store, failing(store, [], ModelFailed("the model is away"))):
        async with asyncio.timeout(20):
            while not (found := await store.backlog.jobs(EVERYONE, limit=9))[0].cause:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
            while (found := await store.backlog.jobs(EVERYONE, limit=9))[0].state == "running":  # noqa: ASYNC110
                await asyncio.sleep(0.05)
    (job,) = found
    assert (job.scope, job.session_id, job.state, job.attempts) == (ANNA, "s", "waiting", 1)
    assert job.cause == "ModelFailed: the model is away"
    assert job.due_at is not None


async def test_a_save_under_way_runs(store: Store) -> None:
    ending = asyncio.Event()

    async def wait(scope: Scope, session_id: str, revision: int) -> None:
        await ending.wait()
        await store.inbox.mark_done(scope, session_id, revision)

    await store.inbox.accept(ANNA, "s", [said("e")], 0)
    async with working(store, wait):
        async with asyncio.timeout(20):
            while (await store.backlog.jobs(EVERYONE, limit=9))[0].state != "running":  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        ending.set()


async def test_only_a_dead_letter_of_this_person_is_dropped(store: Store) -> None:
    await give_up(store, ANNA, "s")
    await give_up(store, BEN, "s")
    await store.inbox.accept(ANNA, "waits", [said("e")], 0)
    assert await store.backlog.drop(ANNA, "s")
    assert not await store.backlog.drop(ANNA, "s")
    assert not await store.backlog.drop(ANNA, "waits")
    assert not await store.backlog.drop(ANNA, "unknown")
    pending = await store.backlog.pending()
    assert (pending.waiting, pending.failed) == (1, 1)
    assert await store.backlog.try_anew(ANNA, "s") == 0
    state = await store.inbox.state(ANNA, "s")
    assert state is not None
    assert state.reason == "dropped by hand after its save had failed"
    loaded = await store.inbox.load(ANNA, "s")
    assert loaded is not None
    assert len(loaded.transcript.entries) == 1


async def test_a_dropped_session_that_goes_on_is_worked_on_wholly(store: Store) -> None:
    await give_up(store, ANNA, "s")
    await store.backlog.drop(ANNA, "s")
    accepted = await store.inbox.accept(ANNA, "s", [said("e"), said("f")], 0)
    assert (accepted.changed, (await store.backlog.pending(ANNA)).waiting) == (True, 1)
    loaded = await store.inbox.load(ANNA, "s")
    assert loaded is not None
    assert [entry.event_id for entry in loaded.transcript.entries] == ["e", "f"]


async def test_a_dropped_session_leaves_no_job_behind(store: Store) -> None:
    await store.inbox.accept(ANNA, "s", [said("e")], 0)
    with psycopg.connect(store.url, autocommit=True) as connection:
        connection.execute("SET search_path TO twofold")
        connection.execute("UPDATE procrastinate_jobs SET status = 'failed'")
    await store.inbox.mark_failed(ANNA, "s", 1, "the model is away", final=True)
    await store.backlog.drop(ANNA, "s")
    with psycopg.connect(store.url) as connection:
        assert connection.execute("SELECT count(*) FROM twofold.procrastinate_jobs").fetchall() == [(0,)]

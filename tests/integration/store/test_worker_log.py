"""What a save that fails leaves in the log: one line an attempt, which says what happens next and quotes nobody."""

import asyncio
import logging
from collections.abc import Iterator, Sequence

import pytest

from tests.integration.store.conftest import Store
from tests.integration.store.samples import ANNA, said
from twofold.memory.errors import Conflict, ExtractionFailed, InvalidInput, ModelFailed
from twofold.memory.retry import MOST_ATTEMPTS
from twofold.memory.scope import Scope
from twofold.store import attempts
from twofold.store.queue_log import quiet
from twofold.store.worker import Worker

FAILURE = "semantic: 'openai:m' failed (APIConnectionError at http://127.0.0.1:1): Connection error."


@pytest.fixture(autouse=True)
def procrastinate_as_it_comes() -> Iterator[None]:
    """Have no level of an earlier test."""
    its = logging.getLogger("procrastinate")
    before, its.level = its.level, logging.NOTSET
    yield
    its.setLevel(before)


async def told(store: Store, errors: Sequence[Exception]) -> None:
    """Run a worker whose saves fail with these errors, one an attempt, and then succeed."""
    left = list(errors)

    async def handle(scope: Scope, session_id: str, revision: int) -> None:
        if left:
            raise left.pop(0)
        await store.inbox.mark_done(scope, session_id, revision)

    await store.inbox.accept(ANNA, "s1", [said("e1")], settle=0)
    worker = Worker(store.url, store.inbox, handle)
    running = asyncio.create_task(worker.run())
    await store.backlog.wait_done(ANNA, "s1", 1, timeout=30)
    await asyncio.sleep(0.3)  # what is said of the job is said after that
    worker.stop()
    await asyncio.wait_for(running, 30)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            ExtractionFailed("Session 's1' could not be extracted. Run it again.", failures=[FAILURE]),
            f"attempt 1 of 10: ExtractionFailed: {FAILURE.rstrip('.')}; tried again in 0 s",
        ),
        (ModelFailed("two\nlines."), "attempt 1 of 10: ModelFailed: two lines; tried again in 0 s"),
        (Conflict("changed"), "attempt 1 of 10: Conflict: changed; tried again at once"),
        (InvalidInput("bad"), "attempt 1 of 10: InvalidInput: bad; given up; `twofold jobs retry` tries it anew"),
        (ValueError("Anna's salary is 1"), "attempt 1 of 10: ValueError at test_worker_log.py:"),
    ],
    ids=["extraction", "model", "conflict", "hopeless", "bug"],
)
async def test_an_attempt_that_fails_is_one_line_without_a_traceback(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception, line: str
) -> None:
    """At INFO, where procrastinate would tell whose session it is, and the same failure again with a traceback."""
    monkeypatch.setattr(attempts, "retry_delay", lambda _: 0.4)
    caplog.set_level(logging.INFO)
    # A conflict begins the attempt anew, and is a failure only where another writer came first each time.
    await told(store, [error] * (attempts.MOST_CONFLICTS if isinstance(error, Conflict) else 1))
    (record,) = [each for each in caplog.records if each.levelno >= logging.WARNING]
    assert record.getMessage().startswith(f"Session s1 is not saved ({line}")
    assert not record.exc_info
    assert not [each for each in caplog.records if each.name.startswith("procrastinate")]
    assert "salary" not in caplog.text
    assert ANNA.user_id not in caplog.text


async def test_the_last_attempt_is_an_error_and_told_once(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(attempts, "retry_delay", lambda _: 0.0)
    await told(store, [ModelFailed("no key")] * MOST_ATTEMPTS)
    lines = [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]
    assert len(lines) == MOST_ATTEMPTS
    assert [each.levelno for each in caplog.records if each.levelno >= logging.WARNING][-1] == logging.ERROR
    assert "attempt 10 of 10: ModelFailed: no key; given up" in lines[-1]


async def test_where_it_came_from_is_there_at_debug(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(attempts, "retry_delay", lambda _: 0.0)
    caplog.set_level(logging.DEBUG, "twofold")
    await told(store, [ModelFailed("no key")])
    assert [each for each in caplog.records if each.levelno == logging.WARNING and each.exc_info]


def test_a_level_of_the_hosts_own_stays_and_its_jobs_are_heard() -> None:
    its = logging.getLogger("procrastinate")
    its.setLevel(logging.DEBUG)
    quiet()
    quiet()
    assert its.level == logging.DEBUG
    worker = logging.getLogger("procrastinate.worker")
    heard = {
        task: bool(worker.filter(logging.makeLogRecord({"action": "job_error", "job": {"task_name": task}})))
        for task in ("twofold.save_session", "host.send_mail")
    }
    assert heard == {"twofold.save_session": False, "host.send_mail": True}

"""An app on a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any

import pytest

from twofold import app_thread
from twofold.app_thread import AppThread
from twofold.memory.errors import StoreUnavailable


class Opening:
    """Opens after so many failures, and counts."""

    def __init__(self, failures: int = 0) -> None:
        self.failures = failures
        self.opened = self.closed = 0
        self.open = threading.Event()

    @asynccontextmanager
    async def enter(self) -> AsyncIterator[Any]:
        await asyncio.sleep(0)
        if self.failures:
            self.failures -= 1
            raise StoreUnavailable("down")
        self.opened += 1
        self.open.set()
        yield self
        self.closed += 1


async def name(app: object) -> str:
    return threading.current_thread().name


async def test_it_opens_once_for_many_callers_and_closes_once() -> None:
    opening = Opening()
    thread = AppThread("twofold-test", opening.enter)
    assert await asyncio.gather(*(thread.call(name) for _ in range(9))) == ["twofold-test"] * 9
    assert opening.opened == 1
    thread.close()
    thread.close()
    assert opening.closed == 1
    assert not thread.alive


async def test_an_action_is_part_of_what_its_caller_does_and_what_the_opening_began_is_not() -> None:
    """What begins there outlives the call that opens the memory."""
    turn: ContextVar[str] = ContextVar("turn", default="none")
    seen: list[str] = []

    @asynccontextmanager
    async def enter() -> AsyncIterator[Any]:
        seen.append(turn.get())
        began = asyncio.create_task(asyncio.sleep(0, turn.get()))
        seen.append(await began)
        yield seen

    async def act(app: object) -> str:
        return turn.get()

    thread = AppThread("twofold-test", enter)
    turn.set("the first")
    assert await thread.call(act) == "the first"
    turn.set("the second")
    assert await thread.call(act) == "the second"
    assert seen == ["none", "none"]
    thread.close()


async def test_callers_that_wait_while_an_opening_fails_share_its_error() -> None:
    opening = Opening(failures=9)
    thread = AppThread("twofold-test", opening.enter)
    results = await asyncio.gather(*(thread.call(name) for _ in range(9)), return_exceptions=True)
    assert all(isinstance(result, StoreUnavailable) for result in results)
    assert opening.failures == 8
    thread.close()


async def test_a_failed_opening_is_the_callers_error_and_a_later_call_tries_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(app_thread, "SHARED_SECONDS", 0.0)
    thread = AppThread("twofold-test", Opening(failures=1).enter)
    with pytest.raises(StoreUnavailable):
        await thread.call(name)
    assert await thread.call(name) == "twofold-test"
    thread.close()


def test_a_worker_that_cannot_start_goes_on_trying(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_thread, "RETRY_SECONDS", 0.0)
    monkeypatch.setattr(app_thread, "SHARED_SECONDS", 0.0)
    opening = Opening(failures=3)
    thread = AppThread("twofold-test", opening.enter)
    thread.open_soon()
    assert opening.open.wait(5)
    thread.close()


async def test_a_caller_that_gives_up_does_not_stop_the_work() -> None:
    release, done = threading.Event(), threading.Event()

    async def work(app: object) -> None:
        await asyncio.to_thread(release.wait)
        done.set()

    thread = AppThread("twofold-test", Opening().enter)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(thread.call(work), 0.05)
    release.set()
    assert await asyncio.to_thread(done.wait, 5)
    thread.close()

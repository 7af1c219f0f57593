"""A thread with an event loop of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

import pytest

from twofold.loop_thread import LoopThread, finished
from twofold.memory.errors import StoreUnavailable


async def where() -> str:
    await asyncio.sleep(0)
    return threading.current_thread().name


async def awaited(loop: LoopThread, work: Coroutine[Any, Any, object]) -> object:
    return await finished(loop.submit(work))


def test_work_runs_on_its_thread_whoever_asks() -> None:
    loop = LoopThread("twofold-test")
    try:
        assert loop.submit(where()).result(5) == "twofold-test"
        assert asyncio.run(awaited(loop, where())) == "twofold-test"
        assert asyncio.run(awaited(loop, where())) == "twofold-test"
    finally:
        loop.stop()


def test_an_error_of_the_work_is_the_callers() -> None:
    async def broken() -> None:
        raise ValueError("told")

    loop = LoopThread("twofold-test")
    try:
        with pytest.raises(ValueError, match="told"):
            asyncio.run(awaited(loop, broken()))
    finally:
        loop.stop()


def test_stopping_cancels_what_still_runs_and_may_be_repeated() -> None:
    loop = LoopThread("twofold-test")
    waiting = loop.submit(asyncio.sleep(60))
    loop.stop()
    loop.stop()
    assert waiting.cancelled()
    assert not loop.alive


def test_work_handed_over_after_stopping_is_refused() -> None:
    loop = LoopThread("twofold-test")
    loop.stop()
    with pytest.raises(StoreUnavailable, match="closed"):
        loop.submit(where())


async def test_a_caller_whose_work_is_cancelled_by_closing_is_not_cancelled_itself() -> None:
    loop = LoopThread("twofold-test")
    waiting = loop.submit(asyncio.sleep(60))
    await asyncio.to_thread(loop.stop)
    with pytest.raises(StoreUnavailable, match="closed"):
        await finished(waiting)

"""A thread with an event loop of its own."""

from __future__ import annotations

import asyncio
import threading

import pytest

from twofold.loop_thread import LoopThread


async def where() -> str:
    await asyncio.sleep(0)
    return threading.current_thread().name


def test_work_runs_on_its_thread_whoever_asks() -> None:
    loop = LoopThread("twofold-test")
    try:
        assert loop.submit(where()).result(5) == "twofold-test"
        assert asyncio.run(loop.call(where())) == "twofold-test"
        assert asyncio.run(loop.call(where())) == "twofold-test"
    finally:
        loop.stop()


def test_an_error_of_the_work_is_the_callers() -> None:
    async def broken() -> None:
        raise ValueError("told")

    loop = LoopThread("twofold-test")
    try:
        with pytest.raises(ValueError, match="told"):
            asyncio.run(loop.call(broken()))
    finally:
        loop.stop()


def test_stopping_cancels_what_still_runs_and_may_be_repeated() -> None:
    loop = LoopThread("twofold-test")
    waiting = loop.submit(asyncio.sleep(60))
    loop.stop()
    loop.stop()
    assert waiting.cancelled()
    assert not loop.alive

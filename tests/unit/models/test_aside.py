"""Work beside the event loop."""

from __future__ import annotations

import asyncio
import threading

import pytest

from twofold.memory.errors import ModelFailed, TwofoldError
from twofold.models.aside import aside


async def test_it_returns_what_the_work_returns_and_runs_on_another_thread() -> None:
    assert await aside(threading.get_ident, name="aside") != threading.get_ident()


async def test_an_expected_error_reaches_the_caller() -> None:
    def fail() -> None:
        raise ModelFailed("the file is missing")

    with pytest.raises(ModelFailed, match="the file is missing"):
        await aside(fail, name="aside")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_a_bug_in_the_work_does_not_leave_the_caller_waiting() -> None:
    with pytest.raises(TwofoldError, match="without a result"):
        await asyncio.wait_for(aside(lambda: 1 // 0, name="aside"), 5)
    for thread in threading.enumerate():  # pytest must see its traceback within this test
        if thread.name == "aside":
            thread.join()


async def test_a_caller_that_gives_up_is_free_at_once_while_the_work_goes_on() -> None:
    go_on, ended = threading.Event(), threading.Event()

    def work() -> None:
        go_on.wait(5)
        ended.set()

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(aside(work, name="aside"), 0.01)
    go_on.set()
    assert ended.wait(5)


async def test_without_a_new_thread_the_work_is_done_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.12 and later start no thread while the interpreter is shutting down."""

    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert await aside(threading.get_ident, name="aside") == threading.get_ident()

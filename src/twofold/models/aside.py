"""Blocking work beside an event loop, also while the interpreter is shutting down."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

from twofold.memory.errors import ModelFailed, TwofoldError

T = TypeVar("T")


async def aside(work: Callable[[], T], *, name: str) -> T:
    """Return what `work` returns, run on a thread of its own. `work` raises TwofoldErrors only.

    An executor refuses work as soon as the main thread has ended, and that is when the last saves are still
    worked on. The thread is no daemon: native code must not be cut off while Python is taken down.
    """
    future: Future[T] = Future()
    thread = Thread(target=_settle, args=(future, work), name=name, daemon=False)
    try:
        thread.start()
    except RuntimeError:  # Python 3.12 and later start no thread at this late hour
        return work()
    return await asyncio.wrap_future(future)


def _settle(future: Future[T], work: Callable[[], T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(work())
    except TwofoldError as error:
        future.set_exception(error)
    finally:
        if not future.done():  # a bug in `work`: its waiter must not wait for ever
            future.set_exception(ModelFailed("the work ended without a result"))

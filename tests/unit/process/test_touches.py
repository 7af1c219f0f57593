"""Re-dating whose memory was recalled, and deleting what has expired."""

from __future__ import annotations

import asyncio

from twofold.memory.errors import StoreUnavailable
from twofold.memory.scope import Scope
from twofold.sweep import sweeping
from twofold.touches import Touches

ANNA = Scope(tenant_id="acme", user_id="anna")


async def test_a_recall_does_not_wait_for_its_touch_and_closing_does() -> None:
    release, touched = asyncio.Event(), list[Scope]()

    async def touch(scope: Scope) -> None:
        await release.wait()
        touched.append(scope)

    touches = Touches(touch)
    touches.soon(ANNA)
    touches.soon(ANNA)
    assert touched == []
    release.set()
    await touches.finish()
    assert touched == [ANNA]


async def test_a_touch_that_fails_harms_nobody_and_the_next_recall_tries_again() -> None:
    tried = list[Scope]()

    async def touch(scope: Scope) -> None:
        tried.append(scope)
        raise StoreUnavailable("down")

    touches = Touches(touch)
    for _ in range(2):
        touches.soon(ANNA)
        await touches.finish()
    assert tried == [ANNA, ANNA]


async def test_sweeping_goes_on_after_a_failure() -> None:
    swept = asyncio.Semaphore(0)

    async def sweep() -> int:
        swept.release()
        raise StoreUnavailable("down")

    task = asyncio.create_task(sweeping(sweep, every=0))
    for _ in range(3):
        await swept.acquire()
    task.cancel()

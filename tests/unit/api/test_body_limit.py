"""How many large bodies are worked on at once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from twofold.api.body_limit import LARGE_BYTES, MOST_LARGE, BodyLimit


class Working:
    """An app that reads the body and works until it is told to end."""

    def __init__(self) -> None:
        self.working = 0
        self.end = asyncio.Event()

    async def __call__(self, _scope: Scope, receive: Receive, _send: Send) -> None:
        """Read and work."""
        while (await receive()).get("more_body"):
            pass
        self.working += 1
        await self.end.wait()
        self.working -= 1


async def begin(limit: BodyLimit, *pieces: bytes, whole: bool = True) -> asyncio.Task[None]:
    """Ask with a body in pieces; one that is not whole never ends."""
    waiting = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]

    async def receive() -> Message:
        if waiting:
            return waiting.pop(0)
        if not whole:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(_message: Message) -> None:
        pass

    scope: dict[str, Any] = {"type": "http", "method": "POST", "path": "/memory", "headers": []}
    task = asyncio.create_task(limit(scope, receive, send))
    for _ in range(10):
        await asyncio.sleep(0)
    return task


LARGE = (b"x" * LARGE_BYTES, b"x")


async def test_few_large_bodies_are_worked_on_at_once_and_the_others_wait() -> None:
    app = Working()
    limit = BodyLimit(app)
    tasks = [await begin(limit, *LARGE) for _ in range(MOST_LARGE + 2)]
    assert app.working == MOST_LARGE
    app.end.set()
    async with asyncio.timeout(5):
        await asyncio.gather(*tasks)
    assert app.working == 0


@pytest.mark.parametrize("body", [(), (b"{}",), (b"x" * LARGE_BYTES,)], ids=["none", "small", "just not large"])
async def test_other_bodies_do_not_wait_for_large_ones(body: tuple[bytes, ...]) -> None:
    app = Working()
    limit = BodyLimit(app)
    tasks = [await begin(limit, *LARGE) for _ in range(MOST_LARGE)]
    tasks.append(await begin(limit, *body))
    assert app.working == MOST_LARGE + 1
    app.end.set()
    await asyncio.gather(*tasks)


async def test_who_sends_slowly_or_leaves_keeps_nobody_waiting() -> None:
    app = Working()
    limit = BodyLimit(app)
    slow = [await begin(limit, *LARGE, whole=False) for _ in range(MOST_LARGE)]
    tasks = [await begin(limit, *LARGE) for _ in range(MOST_LARGE)]
    assert app.working == MOST_LARGE
    tasks[0].cancel()
    tasks.append(await begin(limit, *LARGE))
    assert app.working == MOST_LARGE + 1  # the one that was cancelled did not count itself out
    for task in slow:
        task.cancel()
    app.end.set()
    await asyncio.gather(*slow, *tasks, return_exceptions=True)

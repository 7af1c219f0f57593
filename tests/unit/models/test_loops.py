"""One thing for each event loop."""

from __future__ import annotations

import asyncio

from twofold.models.loops import PerLoop


async def test_one_loop_gets_the_same_thing_again() -> None:
    things = PerLoop(object)
    assert things.get() is things.get()


def test_another_loop_gets_another_thing_and_closed_loops_are_forgotten() -> None:
    things = PerLoop(object)

    async def get() -> object:
        return things.get()

    first, second = asyncio.run(get()), asyncio.run(get())
    assert first is not second
    assert len(things._made) == 1


async def test_what_was_popped_is_made_anew() -> None:
    things = PerLoop(object)
    first = things.get()
    assert things.pop() is first
    assert things.pop() is None
    assert things.get() is not first

"""Runs that end because the host cancels their task."""

from __future__ import annotations

import asyncio

import pytest

from twofold.adk.cancelled_runs import CancelledRuns


class Run:
    """A run in a task of its own, and what was left to do for it."""

    def __init__(self) -> None:
        self.runs = CancelledRuns()
        self.done: list[str] = []
        self.started = asyncio.Event()

    async def left_to_do(self) -> None:
        self.done.append("saved")

    async def run(self, *, told: bool) -> None:
        self.runs.watch("i1", self.left_to_do)
        if told:
            self.runs.unwatch("i1")
        self.started.set()
        await asyncio.sleep(3600)


@pytest.mark.parametrize(("told", "done"), [(False, ["saved"]), (True, [])])
async def test_what_is_left_is_done_when_the_task_is_cancelled_before_its_end_was_told(
    *, told: bool, done: list[str]
) -> None:
    run = Run()
    task = asyncio.create_task(run.run(told=told))
    await run.started.wait()
    task.cancel()
    await asyncio.wait({task})
    await asyncio.sleep(0.01)
    assert run.done == done


async def test_a_task_that_serves_many_runs_keeps_no_trace_of_those_that_ended() -> None:
    run = Run()
    for number in range(3):
        run.runs.watch(str(number), run.left_to_do)
        run.runs.unwatch(str(number))
    assert run.runs._watched == {}
    run.runs.unwatch("unknown")

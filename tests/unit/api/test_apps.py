"""One memory for each event loop, opened by the first call and closed when the server is told to."""

from __future__ import annotations

import asyncio

import pytest

from twofold.api.apps import Apps
from twofold.memory.errors import StoreUnavailable
from twofold.settings import Settings, load_settings
from twofold.testing import test_models


@pytest.fixture
def settings(database_url: str) -> Settings:
    return load_settings(database_url=database_url)


async def test_calls_at_once_open_one_memory(settings: Settings) -> None:
    apps = Apps(lambda: settings, models=test_models())
    try:
        first, *others = await asyncio.gather(*(apps.here() for _ in range(5)))
        assert all(other is first for other in others)
    finally:
        await apps.close_here()


async def test_another_loop_has_another_memory(settings: Settings) -> None:
    apps = Apps(lambda: settings, models=test_models())

    async def elsewhere() -> int:
        try:
            return id(await apps.here())
        finally:
            await apps.close_here()

    try:
        here = await apps.here()
        assert await asyncio.to_thread(lambda: asyncio.run(elsewhere())) != id(here)
        assert await apps.here() is here
    finally:
        await apps.close_here()


async def test_what_was_closed_is_opened_anew(settings: Settings) -> None:
    apps = Apps(lambda: settings, models=test_models())
    before = await apps.here()
    await apps.close_here()
    await apps.close_here()
    try:
        assert await apps.here() is not before
    finally:
        await apps.close_here()


async def test_an_opening_that_failed_is_tried_again(settings: Settings) -> None:
    chosen = [load_settings(database_url="postgresql://127.0.0.1:1/none"), settings]
    apps = Apps(lambda: chosen.pop(0), models=test_models())
    with pytest.raises(StoreUnavailable):
        await apps.here()
    try:
        assert (await apps.here()).settings is settings
    finally:
        await apps.close_here()


async def test_who_gives_up_waiting_does_not_stop_the_opening(settings: Settings) -> None:
    apps = Apps(lambda: settings, models=test_models())
    impatient = asyncio.create_task(apps.here())
    await asyncio.sleep(0)
    impatient.cancel()
    with pytest.raises(asyncio.CancelledError):
        await impatient
    try:
        assert (await apps.here()).settings is settings
    finally:
        await apps.close_here()


async def test_closing_ends_an_opening_under_way(settings: Settings) -> None:
    apps = Apps(lambda: settings, models=test_models())
    waiting = asyncio.create_task(apps.here())
    await asyncio.sleep(0)
    await apps.close_here()
    with pytest.raises(StoreUnavailable):
        await waiting

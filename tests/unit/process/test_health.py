"""What a host shows of its memory without asking for it: one sentence, what waits, what went wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, cast

import pytest

from twofold import backlog_watch
from twofold.backlog_watch import BacklogWatch
from twofold.health import Backlog, Health, SaveError
from twofold.memory.errors import (
    EmbedderMismatch,
    InvalidInput,
    ModelFailed,
    ServerUnavailable,
    SettingsInvalid,
    StoreUnavailable,
)
from twofold.store.inbox_rows import Pending
from twofold.testing import FixedClock

NOW = datetime(2026, 11, 30, 18, 6, 10, tzinfo=UTC)
AWAY = SaveError(session_id="s1", at=NOW, cause="ModelFailed: the model\nis away")
ONE_LINE = "ModelFailed: the model is away"
NONE = Backlog(waiting=0, failed=0, oldest_at=None)
SINCE = NOW - timedelta(seconds=70)


@pytest.mark.parametrize(
    ("backlog", "told"),
    [
        (NONE, "memory is up to date"),
        (Backlog(waiting=3, failed=0, oldest_at=NOW), "memory is up to date"),
        (
            Backlog(waiting=3, failed=0, oldest_at=NOW, last_error=AWAY),
            "memory is not up to date: 3 sessions to be saved (last error: ModelFailed: the model is away)",
        ),
        (
            Backlog(waiting=1, failed=0, oldest_at=SINCE, behind_since=SINCE),
            "memory is behind since 2026-11-30 18:05 UTC (1 session waits)",
        ),
        (
            Backlog(waiting=12, failed=1, oldest_at=SINCE, behind_since=SINCE, last_error=AWAY),
            f"memory is behind since 2026-11-30 18:05 UTC (12 sessions wait, 1 was given up; last error: {ONE_LINE})",
        ),
        (
            Backlog(waiting=2, failed=3, oldest_at=SINCE, behind_since=SINCE.astimezone(timezone(timedelta(hours=5)))),
            "memory is behind since 2026-11-30 18:05 UTC (2 sessions wait, 3 were given up)",
        ),
        (
            Backlog(waiting=0, failed=2, oldest_at=None, last_error=AWAY),
            "memory is up to date, but 2 sessions were given up (last error: ModelFailed: the model is away)",
        ),
        (Backlog(waiting=0, failed=1, oldest_at=None), "memory is up to date, but 1 session was given up"),
    ],
)
def test_what_waits_is_told_in_one_sentence(backlog: Backlog, told: str) -> None:
    health = Health(database="d")
    health.saw(backlog)
    assert (str(health), health.told, backlog.told) == (told, told, told)


def test_before_anything_is_known_nothing_is_claimed() -> None:
    assert str(Health(database="d")) == "nothing known yet"


@pytest.mark.parametrize("happened", ["search_failed", "not_accepted", "lost"])
@pytest.mark.parametrize("error", [StoreUnavailable, ServerUnavailable, EmbedderMismatch, SettingsInvalid])
def test_memory_that_cannot_be_reached_or_used_is_down_until_it_is_seen_again(
    happened: str, error: type[Exception]
) -> None:
    health = Health(database="d")
    health.saw(NONE)
    getattr(health, happened)(error("no answer from db:5432"))
    assert str(health) == "memory is down: no answer from db:5432"
    health.saw(NONE)
    assert str(health) == "memory is up to date"


@pytest.mark.parametrize("error", [TimeoutError("x"), ModelFailed("x"), KeyError("x"), InvalidInput("x")])
def test_what_fails_while_memory_can_be_reached_does_not_make_it_down(error: Exception) -> None:
    health = Health(database="d")
    health.search_failed(error)
    health.not_accepted(error)
    assert (health.down, health.searches_failed, health.sessions_not_accepted) == ("", 1, 1)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (KeyError("what Anna said"), "search: KeyError"),
        (TimeoutError(), "search: it took too long"),
        (StoreUnavailable("no answer"), "search: no answer"),
    ],
)
def test_an_error_of_others_is_told_without_its_words(error: Exception, told: str, caplog: Any) -> None:
    health = Health(database="d")
    health.search_failed(error)
    assert health.last_error == told
    assert "Anna" not in caplog.text


class Counted:
    """What a database counts; each of `found` in turn, the last for ever; an error is raised."""

    def __init__(self, *found: Pending | Exception) -> None:
        self.found = list(found)
        self.looks = 0

    async def pending(self, scope: object = None, *, tenants: object = None) -> Pending:
        self.looks += 1
        found = self.found.pop(0) if len(self.found) > 1 else self.found[0]
        if isinstance(found, Exception):
            raise found
        return found


def watch(counted: Counted, health: Health, *, settle_seconds: float = 10.0) -> BacklogWatch:
    return BacklogWatch(cast("Any", counted), health, clock=FixedClock(NOW), settle_seconds=settle_seconds)


async def until(met: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not met():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(("settle_seconds", "in_time", "behind"), [(10, 69, 71), (0, 60, 61), (3600, 3600, 3661)])
async def test_memory_is_behind_a_minute_after_a_session_has_settled(
    settle_seconds: int, in_time: int, behind: int
) -> None:
    for waited, late in ((in_time, False), (behind, True)):
        oldest = NOW - timedelta(seconds=waited)
        counted = Counted(Pending(waiting=1, failed=0, oldest_at=oldest))
        backlog = await watch(counted, Health(database="d"), settle_seconds=settle_seconds).look()
        assert backlog.behind_since == (oldest if late else None)


async def test_a_watch_keeps_health_up_to_date_and_outlasts_a_database_that_is_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(backlog_watch, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(backlog_watch, "SOON_SECONDS", 0.01)
    waiting = Pending(waiting=1, failed=0, oldest_at=NOW)
    failing = replace(waiting, failing_session="s1", error="ModelFailed: away", failed_at=NOW)
    counted, health = Counted(waiting, StoreUnavailable("gone"), failing), Health(database="d")
    async with watch(counted, health).going_on():
        await until(lambda: counted.looks > 3)
    assert health.down == ""
    assert health.backlog is not None
    assert health.backlog.last_error == SaveError(session_id="s1", at=NOW, cause="ModelFailed: away")
    looks = counted.looks
    await asyncio.sleep(0.05)
    assert counted.looks == looks


async def test_a_watch_looks_soon_after_something_happened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlog_watch, "LOOK_SECONDS", 3600.0)
    monkeypatch.setattr(backlog_watch, "SOON_SECONDS", 0.01)
    counted = Counted(Pending(waiting=0, failed=0, oldest_at=None))
    looking = watch(counted, Health(database="d"))
    async with looking.going_on():
        await until(lambda: counted.looks == 1)
        looking.soon()
        await until(lambda: counted.looks == 2)

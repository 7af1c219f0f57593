"""`twofold worker`: a process that does nothing but save accepted sessions."""

from __future__ import annotations

import asyncio
import logging
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from twofold.cli.exits import INTERRUPTED
from twofold.cli.logs import tell_progress
from twofold.cli.output import working
from twofold.memory.errors import StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from twofold.app import MemoryApp

logger = logging.getLogger(__name__)

AWAY = "the database is away"
MOST_POOLED = 100
_LOOK_SECONDS = 1.0


def worker(
    *,
    concurrency: Annotated[
        int, typer.Option("--concurrency", min=1, max=100, help="How many sessions to save at once.")
    ] = 2,
    grace: Annotated[
        float, typer.Option("--grace", min=0, help="Seconds that a stop waits for the saves that run.")
    ] = 10.0,
    until_empty: Annotated[bool, typer.Option("--until-empty", help="End when nothing waits any more.")] = False,
) -> None:
    """Save accepted sessions until it is told to stop.

    Any number may run, on any machines, on one database. SIGTERM and Ctrl-C let the saves that run end, and give
    back what does not end in time: another worker, or the next start, takes it up. `--until-empty` waits for
    retries too, until they are done or given up.
    """
    tell_progress()
    stopped_by = asyncio.run(_work(concurrency, grace, until_empty=until_empty))
    if stopped_by == signal.SIGINT:
        raise typer.Exit(INTERRUPTED)


async def _work(concurrency: int, grace: float, *, until_empty: bool) -> int | None:
    """Work until a signal comes, or nothing waits; return the signal."""
    from twofold.settings import load_settings

    stop = _Stop()
    settings = load_settings()
    # So that no save waits for the connection of another.
    settings = settings.model_copy(update={"pool_size": max(settings.pool_size, min(concurrency + 2, MOST_POOLED))})
    with working("opening the memory"):
        from twofold.app import MemoryApp
    async with MemoryApp.open(settings) as app:
        logger.info("Working on %s, %d sessions at once", settings.database_shown, concurrency)
        async with app.working(concurrency=concurrency, grace=grace):
            with working("saving sessions") as tell:
                await _watch(app, stop, tell, until_empty=until_empty)
        left = await _pending(app)
    logger.info("Stopped; %s", left.told if left else AWAY)
    return stop.signal


async def _watch(app: MemoryApp, stop: _Stop, tell: Callable[[str], None], *, until_empty: bool) -> None:
    """Wait for the signal, or until nothing waits; meanwhile tell what waits."""
    while True:
        pending = await _pending(app)
        if until_empty and pending and not pending.waiting:
            return
        tell(pending.told if pending else AWAY)
        if await stop.wait(_LOOK_SECONDS):
            return


@dataclass(frozen=True, slots=True)
class _Pending:
    waiting: int
    failed: int

    @property
    def told(self) -> str:
        return f"sessions that wait: {self.waiting}, given up: {self.failed}"


async def _pending(app: MemoryApp) -> _Pending | None:
    """Count what waits, None while the database is away: a worker outlasts that."""
    try:
        found = await app.database.backlog.pending()
    except StoreUnavailable:
        return None
    return _Pending(found.waiting, found.failed)


class _Stop:
    """The first signal to stop; a second one ends the process at once.

    A closed terminal is one too, so that the embedded database does not outlive it, but not under `nohup`.
    """

    def __init__(self) -> None:
        self.signal: int | None = None
        self._came = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        known = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
        self._numbers = [number for number in known if signal.getsignal(number) != signal.SIG_IGN]
        for number in self._numbers:
            self._loop.add_signal_handler(number, self._stop, number)

    async def wait(self, timeout: float | None = None) -> bool:
        """Wait for the signal, for at most so many seconds; return whether it came."""
        try:
            async with asyncio.timeout(timeout):
                await self._came.wait()
        except TimeoutError:
            return False
        return True

    def _stop(self, number: int) -> None:
        self.signal = number
        self._came.set()
        for each in self._numbers:
            self._loop.remove_signal_handler(each)

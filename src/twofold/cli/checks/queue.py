"""The saves: what waits, what was given up, and who works on them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from twofold.cli.checks.subject import Subject, ok, warning
from twofold.cli.output import many, short
from twofold.clock import SystemClock
from twofold.memory.findings import Finding
from twofold.memory.keys import body_id
from twofold.store.inbox_rows import Pending
from twofold.store.overview import Workers

LONG = timedelta(minutes=15)


async def check_queue(subject: Subject) -> list[Finding]:
    """Look at the accepted sessions that are not saved, and at the workers."""
    if not subject.is_usable:
        return []
    async with subject.opened() as database:
        pending, workers = await database.backlog.pending(), await database.overview.workers()
    return [*_waiting(pending, workers), *_failed(pending), *_last_error(pending)]


def _waiting(pending: Pending, workers: Workers) -> Iterator[Finding]:
    alive = f"{many(workers.live, 'worker')} alive"
    if not pending.waiting or pending.oldest_at is None:
        yield ok("saves", f"no session waits to be saved; {alive}")
        return
    age = SystemClock().now() - pending.oldest_at
    found = f"{many(pending.waiting, 'session')} to be saved, the oldest for {_told(age)}; {alive}"
    if not workers.live:
        yield warning("saves", found, "start a process that saves: an agent with memory, or `twofold worker`")
    elif age > LONG:
        yield warning("saves", found, "see `twofold jobs list` for causes; start more workers with `twofold worker`")
    else:
        yield ok("saves", found)


def _failed(pending: Pending) -> Iterator[Finding]:
    if pending.failed:
        yield warning(
            "saves",
            f"given up, and remembered nowhere: {many(pending.failed, 'session')}",
            "see `twofold jobs list --failed` for causes, then `twofold jobs retry --all`, or drop them",
        )


def _last_error(pending: Pending) -> Iterator[Finding]:
    if pending.error:
        at = f" at {short(pending.failed_at)} UTC" if pending.failed_at else ""
        session = body_id(pending.failing_session or "")
        yield warning(
            "saves",
            f"a save failed{at}, that of session {session!r}: {pending.error}",
            "see to what it names; what waits is tried again by itself, and at once by `twofold jobs retry --all`",
        )


def _told(age: timedelta) -> str:
    minutes, seconds = divmod(max(0, int(age.total_seconds())), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = ((days, "day"), (hours, "hour"), (minutes, "minute"), (seconds, "second"))
    found = next(((number, name) for number, name in parts if number), None)
    return "a moment" if found is None else many(found[0], found[1])

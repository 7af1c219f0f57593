"""`twofold backfill`: remember the sessions that were there before twofold was."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from twofold.cli.backfill_progress import told_progress
from twofold.cli.exits import FOUND_WANTING, INTERRUPTED
from twofold.cli.opening import opened_app
from twofold.cli.options import JsonOption
from twofold.cli.output import many, print_document, print_text, said
from twofold.cli.show import FORMATS
from twofold.memory.errors import TwofoldError

if TYPE_CHECKING:
    from twofold.adk.backfill import Tally
    from twofold.adk.scopes import ScopeOf
    from twofold.adk.stored.source import SessionSource
    from twofold.settings import Settings

MOST_POOLED = 100


def backfill(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A session database of ADK (`postgresql://…`, `sqlite:///…`), a SQLite file, or a folder of agents,"
            " in which `adk web` and `adk run` keep `.adk/session.db`.",
        ),
    ],
    *,
    app: Annotated[str | None, typer.Option("--app", metavar="APP", help="Only sessions of this app.")] = None,
    user: Annotated[str | None, typer.Option("--user", metavar="USER", help="Only sessions of this user.")] = None,
    since: Annotated[
        datetime | None,
        typer.Option(
            "--since", formats=FORMATS, metavar="TIME", help="Only sessions that went on at this time or later."
        ),
    ] = None,
    tenant: Annotated[
        str | None,
        typer.Option(
            "--tenant",
            metavar="TENANT",
            help="The tenant of all apps, as `?tenant=` in a service's address; else each app is a tenant.",
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option("--rate", metavar="NUMBER", min=0.001, help="Accept at most so many sessions a second."),
    ] = None,
    concurrency: Annotated[
        int, typer.Option("--concurrency", min=1, max=100, help="How many sessions to save at once.")
    ] = 2,
    no_work: Annotated[
        bool, typer.Option("--no-work", help="Only accept; leave the saves to workers elsewhere.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read and count, and change nothing.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Remember the sessions that ADK has kept.

    SOURCE is only read. Every memory gets the time of what it rests on. It may be stopped and run again at any time:
    what was accepted is merged, nothing is doubled. Exits with 3 if a save was given up, or if something could not
    be read, which is left out and named.
    """
    if tenant == "":
        raise typer.BadParameter("--tenant: is empty")
    chosen = _Chosen(
        source=source,
        app=app,
        user=user,
        since=since.replace(tzinfo=UTC) if since is not None and since.tzinfo is None else since,
        tenant=tenant,
        rate=rate,
        concurrency=None if no_work else concurrency,
    )
    if dry_run:
        from twofold.cli.backfill_rehearsal import rehearse
        from twofold.settings import load_settings

        with chosen.opened(load_settings()) as found:
            wanting = rehearse(found, chosen.scope_of, as_json=as_json)
    else:
        done = asyncio.run(_backfill(chosen))
        _print(done, as_json=as_json)
        if not done.finished:
            raise typer.Exit(INTERRUPTED)
        wanting = bool(done.tally.failed or done.tally.refused or done.tally.unreadable)
    if wanting:
        raise typer.Exit(FOUND_WANTING)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chosen:
    """What to backfill, and how."""

    source: str
    app: str | None
    user: str | None
    since: datetime | None
    tenant: str | None
    rate: float | None
    concurrency: int | None

    @property
    def scope_of(self) -> ScopeOf:
        """Whose memory an ADK user's is."""
        from twofold.adk.scopes import scopes

        return scopes(None, self.tenant)

    @contextmanager
    def opened(self, settings: Settings) -> Iterator[SessionSource]:
        """Open the source; what is read of it is redacted as all else."""
        from twofold.adk.stored.sessions import SessionFilter
        from twofold.adk.stored.source import opened_source

        only = SessionFilter(app_name=self.app, user_id=self.user, since=self.since)
        with opened_source(self.source, only, settings.redactor) as found:
            yield found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Done:
    """How it ended; not `finished` if it was interrupted. `left` sessions were not read."""

    tally: Tally
    finished: bool
    left: int
    works: bool


async def _backfill(chosen: _Chosen) -> _Done:
    from twofold.adk.backfill import Backfill
    from twofold.settings import load_settings

    settings = load_settings()
    if chosen.concurrency is not None:  # so that no save waits for the connection of another
        most = max(settings.pool_size, min(chosen.concurrency + 2, MOST_POOLED))
        settings = settings.model_copy(update={"pool_size": most})
    with chosen.opened(settings) as found:
        async with opened_app(settings) as app:
            total = found.count()
            with told_progress(total, saves=chosen.concurrency is not None) as tell:
                filling = Backfill(app, chosen.scope_of, rate=chosen.rate, concurrency=chosen.concurrency, tell=tell)
                finished = False
                with _cancelled_by_signals():
                    try:
                        await filling.run(found.parts())
                        finished = True
                    except asyncio.CancelledError:
                        pass  # told below: what was accepted is safe
                    except TwofoldError:
                        said(f"Stopped after {filling.tally.sessions} of {total} sessions; run it again to go on")
                        raise
    left = 0 if finished else max(0, total - filling.tally.sessions)
    return _Done(tally=filling.tally, finished=finished, left=left, works=chosen.concurrency is not None)


@contextmanager
def _cancelled_by_signals() -> Iterator[None]:
    """Have SIGTERM and a closed terminal end the task as Ctrl-C does, so that saves that run are finished."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    numbers = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) != signal.SIG_IGN]
    for number in numbers:
        loop.add_signal_handler(number, lambda: task is not None and task.cancel())
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


def _print(done: _Done, *, as_json: bool) -> None:
    tally = done.tally
    if as_json:
        print_document({**asdict(tally), "left": done.left, "finished": done.finished})
    else:
        print_text(_in_words(done))
    if not done.finished:
        remains = f"{many(done.left, 'session')} to be read, {many(tally.waiting, 'save')} to be done"
        said(f"Interrupted with {remains}; run it again to go on, nothing is done twice")
    elif not done.works:
        said("The sessions accepted are saved by workers elsewhere: see `twofold jobs list`")
    if tally.failed:
        said("Saves were given up: `twofold jobs list --failed` says why, `twofold jobs retry --all` tries anew")


def _in_words(done: _Done) -> str:
    tally = done.tally
    counts = {
        "accepted": tally.accepted,
        "unchanged": tally.unchanged,
        "with nothing to remember, or forgotten here before": tally.empty,
        "refused": tally.refused,
    }
    ends = {"saved": tally.saved, "given up": tally.failed, "waiting": tally.waiting} if done.works else {}
    told = [f"{number} {what}" for what, number in {**counts, **ends}.items() if number or what == "accepted"]
    unreadable = f", {many(tally.unreadable, 'event')} unreadable" if tally.unreadable else ""
    return f"{many(tally.sessions, 'session')} with {many(tally.events, 'event')}{unreadable}: {', '.join(told)}"

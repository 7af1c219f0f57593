"""`twofold jobs`: the saves that are not done."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twofold.cli.exits import WRONG_USAGE
from twofold.cli.opening import opened_database
from twofold.cli.options import JsonOption, LimitOption, TenantOption, UserOption, in_paragraphs
from twofold.cli.output import Cell, Listing, is_terminal, many, print_document, print_listing, print_text, said, short
from twofold.memory.errors import NotFound
from twofold.memory.keys import body_id, key_of_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from twofold.store.database import Database
    from twofold.store.inbox_rows import Pending
    from twofold.store.jobs import Job

MOST_OF_ONE_NAME = 20
MOST_RETRIED = 100_000
_COLUMNS = ("state", "tenant", "user", "session", "attempts", "accepted", "next try", "cause")

HELP = "List, retry and drop the saves that are not done."

app = typer.Typer(help=HELP, no_args_is_help=True)


def list_jobs(
    *,
    tenant: TenantOption = None,
    user: UserOption = None,
    failed: Annotated[bool, typer.Option("--failed", help="Only those that were given up.")] = False,
    limit: LimitOption = 100,
    as_json: JsonOption = False,
) -> None:
    """List saves that wait, run or were given up.

    Those of everyone unless told otherwise, accepted first before the others.
    """
    asyncio.run(_list(tenant, user, limit, failed=failed, as_json=as_json))


def retry(
    *,
    tenant: TenantOption = None,
    user: UserOption = None,
    session: Annotated[str | None, typer.Option("--session", metavar="SESSION", help="Only this session.")] = None,
    everyone: Annotated[bool, typer.Option("--all", help="Every session, of the person or of everyone.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Have what was given up tried anew.

    What waits is worked on now.
    """
    if (session is None) != everyone:
        raise typer.BadParameter("say what to retry: either --session or --all")
    sessions = asyncio.run(_retry(tenant, user, session))
    if as_json:
        print_document({"sessions": sessions})
    else:
        print_text(f"To be worked on anew as soon as a worker is free: {many(sessions, 'session')}")


def drop(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="The session whose save was given up.")],
    *,
    tenant: TenantOption = None,
    user: UserOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give a session up for good.

    Its save is tried no more and counts no more. What was accepted of it stays until it expires or is forgotten. If
    the session goes on, it is saved, all of it.
    """
    job = asyncio.run(_drop(tenant, user, session))
    if as_json:
        print_document(_document(job))
    else:
        print_text(f"Session {body_id(job.session_id)!r} is dropped; its last error was: {job.cause}")


for _name, _command in (("list", list_jobs), ("retry", retry), ("drop", drop)):
    app.command(_name, help=in_paragraphs(_command))(_command)


async def _list(tenant: str | None, user: str | None, limit: int, *, failed: bool, as_json: bool) -> None:
    from twofold.settings import load_settings
    from twofold.store.jobs import JobFilter

    chosen = JobFilter(tenant_id=tenant, user_id=user, failed=failed)
    async with opened_database(load_settings()) as database:
        found = await database.backlog.jobs(chosen, limit=limit)
        pending = await database.backlog.pending(tenants=None if tenant is None else [tenant])
    if as_json:
        print_document({"jobs": [_document(job) for job in found]})
        return
    print_listing(_brief(found) if is_terminal() else _full(found))
    if len(found) == limit:
        said("There may be more: see --limit")
    if not found:
        said("No save was given up" if failed else "Every accepted session is saved")
    elif user is None:
        for line in _summary(pending):
            said(line)


async def _retry(tenant: str | None, user: str | None, session: str | None) -> int:
    from twofold.settings import load_settings
    from twofold.store.jobs import JobFilter

    async with opened_database(load_settings()) as database:
        if session is not None:
            job = await _the_one(database, tenant, user, session, failed=False)
            return await database.backlog.try_anew(job.scope, job.session_id)
        if tenant is None and user is None:
            return await database.backlog.try_anew()
        jobs = await database.backlog.jobs(JobFilter(tenant_id=tenant, user_id=user), limit=MOST_RETRIED)
        return sum([await database.backlog.try_anew(scope) for scope in dict.fromkeys(job.scope for job in jobs)])


async def _drop(tenant: str | None, user: str | None, session: str) -> Job:
    from twofold.settings import load_settings

    async with opened_database(load_settings()) as database:
        job = await _the_one(database, tenant, user, session, failed=True)
        if not await database.backlog.drop(job.scope, job.session_id):
            raise NotFound(f"Session {session!r} was given up no more when it should be dropped")
        return job


async def _the_one(database: Database, tenant: str | None, user: str | None, session: str, *, failed: bool) -> Job:
    """Return the save of a session; where several people have one of that id, they are listed. Raises NotFound."""
    from twofold.store.jobs import JobFilter

    chosen = JobFilter(tenant_id=tenant, user_id=user, session_id=key_of_url(session), failed=failed)
    found = await database.backlog.jobs(chosen, limit=MOST_OF_ONE_NAME)
    if len(found) == 1:
        return found[0]
    if found:
        said("Whose session? Give --tenant and --user. These have one of that id:")
        print_listing(_full(found), to_stderr=True)
        raise typer.Exit(WRONG_USAGE)
    what = "has no save that was given up" if failed else "has no save to be done"
    raise NotFound(f"Session {session!r} {what}: see `twofold jobs list`")


def _brief(jobs: Sequence[Job]) -> Listing:
    """Return jobs for a terminal: what happened in words."""
    rows: list[tuple[Cell, ...]] = []
    for job in jobs:
        whose = f"{job.scope.tenant_id} / {job.scope.user_id}"
        tried = many(job.attempts, "attempt") if job.attempts else ""
        again = f"next at {short(job.due_at)}" if job.due_at else ""
        about = (f"session {body_id(job.session_id)}", ", ".join(filter(None, (whose, tried, again))), job.cause)
        rows.append((job.state, job.accepted_at, "\n".join(filter(None, about))))
    return Listing(columns=("state", "accepted", "session, and what happened"), rows=rows)


def _summary(pending: Pending) -> Iterator[str]:
    """Say how much there is, since when, what failed last, and what to do."""
    if pending.waiting:
        waiting = f"{many(pending.waiting, 'session')} to be saved, the oldest since {short(pending.oldest_at)} UTC"
        yield f"{waiting}; `twofold doctor` says whether a worker is alive"
    if pending.failed:
        yield f"{many(pending.failed, 'session')} given up: see `twofold jobs retry --all`, and `twofold jobs drop`"
    if pending.error:
        at = f" at {short(pending.failed_at)} UTC" if pending.failed_at else ""
        yield f"Last error{at}, of session {body_id(pending.failing_session or '')!r}: {pending.error}"


def _full(jobs: Sequence[Job]) -> Listing:
    rows: list[tuple[Cell, ...]] = [
        (
            job.state,
            job.scope.tenant_id,
            job.scope.user_id,
            body_id(job.session_id),
            str(job.attempts),
            job.accepted_at,
            job.due_at,
            job.cause,
        )
        for job in jobs
    ]
    return Listing(columns=_COLUMNS, rows=rows)


def _document(job: Job) -> dict[str, Any]:
    return {
        "state": job.state,
        "tenant_id": job.scope.tenant_id,
        "user_id": job.scope.user_id,
        "session_id": body_id(job.session_id),
        "revision": job.revision,
        "attempts": job.attempts,
        "accepted_at": job.accepted_at.isoformat(),
        "due_at": None if job.due_at is None else job.due_at.isoformat(),
        "cause": job.cause,
        "failed_at": None if job.failed_at is None else job.failed_at.isoformat(),
    }

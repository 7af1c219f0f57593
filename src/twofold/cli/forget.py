"""`twofold forget`: erase a memory, a session, all of a person or a whole tenant, and prove it."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from twofold.cli.exits import FAILED, INTERRUPTED
from twofold.cli.keys import whole_key
from twofold.cli.opening import opened_database
from twofold.cli.options import JsonOption, TenantOption, UserOption
from twofold.cli.output import many, print_document, print_text, said, shown
from twofold.cli.remaining import print_remains, print_remains_document
from twofold.cli.whose import chosen_scope
from twofold.memory.keys import body_id, key_of_url, url_key

if TYPE_CHECKING:
    from twofold.memory.scope import Scope
    from twofold.store.database import Database
    from twofold.store.erased import Erased
    from twofold.store.remains import Remains

MOST_SHOWN = 300


def forget(
    *,
    tenant: TenantOption = None,
    user: UserOption = None,
    key: Annotated[
        str | None, typer.Option("--key", metavar="KEY", help="Erase one memory; 6 characters of its key are enough.")
    ] = None,
    session: Annotated[
        str | None,
        typer.Option("--session", metavar="SESSION", help="Erase a session and every memory that rests on it alone."),
    ] = None,
    everything: Annotated[bool, typer.Option("--everything", help="Erase all that is known of the person.")] = False,
    all_users: Annotated[bool, typer.Option("--all-users", help="Erase everybody of --tenant.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Only count what is left of it; 1 if anything is.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Erase a memory, a session, all of a person or a whole tenant, with its traces, and count what is left.

    What is forgotten does not come back, also if its session is handed over again; said anew it is remembered anew.

    Threads of a LangGraph server are erased by that server: DELETE /memory there.
    """
    if (key is not None) + (session is not None) + everything + all_users != 1:
        raise typer.BadParameter("say what: one of --key, --session, --everything and --all-users")
    if session is not None and not key_of_url(session):  # that of what came without a session, and no session
        raise typer.BadParameter("--session: is empty")
    if all_users and (tenant is None or user is not None):
        raise typer.BadParameter("--all-users: give --tenant, and no --user")
    if not check and not yes and not sys.stdin.isatty():
        raise typer.BadParameter("nobody can be asked here: give --yes")
    plan = asyncio.run(_planned(tenant, user, key, session, all_users=all_users))
    if check:
        _tell(asyncio.run(_checked(plan)), as_json=as_json)
        return
    if not yes:
        _ask(plan)
    _report(*asyncio.run(_erased(plan)), as_json=as_json)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What is to be erased, of whom, and that in words; without a key and a session all of the person.

    Without a person it is everybody of the tenant.
    """

    tenant_id: str
    scope: Scope | None
    key: str | None = None
    session_id: str | None = None
    words: str


def _ask(plan: _Plan) -> None:
    """Ask whether to go on, not within an event loop, which would hold back a Ctrl-C; ends the command if not."""
    try:
        if plan.scope is None:
            said(f"Forget {plan.words}?")
            agreed = typer.prompt("Type the name of the tenant to go on", err=True) == plan.tenant_id
        else:
            agreed = typer.confirm(f"Forget {plan.words}?", err=True)
    except typer.Abort:
        raise typer.Exit(INTERRUPTED) from None
    if not agreed:
        said("Nothing was forgotten")
        raise typer.Exit(FAILED)


async def _planned(
    tenant: str | None, user: str | None, key: str | None, session: str | None, *, all_users: bool
) -> _Plan:
    from twofold.settings import load_settings

    async with opened_database(load_settings()) as database:
        if all_users and tenant is not None:
            rows = (await database.memories.remains_of_tenant(tenant)).rows
            words = f"everybody of tenant {tenant!r} ({_counted(rows['public.store'], rows['twofold.inbox'])})"
            return _Plan(tenant_id=tenant, scope=None, words=words)
        scope = await chosen_scope(database, tenant, user, known_only=False)
        whole = None if key is None else await whole_key(database, scope, key)
        session_id = None if session is None else key_of_url(session)
        words = await _in_words(database, scope, whole, session_id)
    return _Plan(tenant_id=scope.tenant_id, scope=scope, key=whole, session_id=session_id, words=words)


async def _in_words(database: Database, scope: Scope, key: str | None, session_id: str | None) -> str:
    if key is not None:
        memory = await database.memories.get(scope, key)
        text = "of which there is no memory" if memory is None else repr(shown(memory.text)[:MOST_SHOWN])
        return f"{url_key(key)}, {text}"
    if session_id is not None:
        return f"session {body_id(session_id)!r} and every memory that rests on it alone"
    known = await database.overview.people(tenant_id=scope.tenant_id, user_id=scope.user_id)
    counts = _counted(known[0].memories, known[0].sessions) if known else "nothing"
    return f"everything of tenant {scope.tenant_id!r}, user {scope.user_id!r} ({counts})"


def _counted(memories: int, sessions: int) -> str:
    return f"{many(memories, 'memory')}, {many(sessions, 'session')}"


async def _erased(plan: _Plan) -> tuple[Erased, Remains]:
    from twofold.settings import load_settings

    async with opened_database(load_settings()) as database:
        memories = database.memories
        if plan.scope is None:
            erased = await memories.erase_tenant(plan.tenant_id)
        elif plan.key is not None:
            erased = await memories.erase_memory(plan.scope, plan.key)
        elif plan.session_id is not None:
            erased = await memories.erase_session(plan.scope, plan.session_id)
        else:
            erased = await memories.erase_user(plan.scope)
        return erased, await _left(database, plan)


async def _checked(plan: _Plan) -> Remains:
    from twofold.settings import load_settings

    async with opened_database(load_settings()) as database:
        return await _left(database, plan)


async def _left(database: Database, plan: _Plan) -> Remains:
    if plan.scope is None:
        return await database.memories.remains_of_tenant(plan.tenant_id)
    return await database.memories.remains(plan.scope, session_id=plan.session_id, key=plan.key)


def _report(erased: Erased, remains: Remains, *, as_json: bool) -> None:
    if as_json:
        from twofold.wire import ErasedBody

        print_document(
            ErasedBody(
                **asdict(erased),
                remaining=dict(remains.rows),
                tombstones=remains.tombstones,
                running=remains.running,
            )
        )
    elif erased.nothing:
        said("There was nothing of it")
    else:
        print_text(f"Forgotten: {_told(erased)}")
        print_remains(remains)
    if remains.total:
        raise typer.Exit(FAILED)


def _told(erased: Erased) -> str:
    people = [f"{many(erased.people, 'user')} with"] if erased.people else []
    main = (
        f"{_counted(erased.memories, erased.sessions)}, the words of {many(erased.audit_entries, 'change')},"
        f" {many(erased.jobs, 'save')} that waited"
    )
    more = (
        (erased.vectors, "vector"),
        (erased.entries, "entry"),
        (erased.extractions, "extraction"),
        (erased.ledger, "ledger row"),
    )
    others = "".join(f", {many(count, thing)}" for count, thing in more if count)
    return " ".join([*people, main]) + others + _spared(erased.spared)


def _spared(entries: int) -> str:
    if not entries:
        return ""
    stay, them = ("stays", "it") if entries == 1 else ("stay", "them")
    return f"; {many(entries, 'entry')} {stay}: other memories rest on {them}"


def _tell(remains: Remains, *, as_json: bool) -> None:
    if as_json:
        print_remains_document(remains)
    else:
        print_remains(remains)
    if remains.total:
        raise typer.Exit(FAILED)

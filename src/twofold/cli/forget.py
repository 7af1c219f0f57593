"""`twofold forget`: erase a memory, a session, or all of a person."""

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
from twofold.cli.whose import chosen_scope
from twofold.memory.keys import body_id, key_of_url, url_key

if TYPE_CHECKING:
    from twofold.memory.scope import Scope
    from twofold.store.database import Database
    from twofold.store.erase import Erased

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
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Erase a memory, a session or all of a person, with its traces.

    What is forgotten does not come back, also if its session is handed over again; said anew it is remembered anew.
    """
    if (key is not None) + (session is not None) + everything != 1:
        raise typer.BadParameter("say what to forget: one of --key, --session and --everything")
    if session is not None and not key_of_url(session):  # that of what came without a session, and no session
        raise typer.BadParameter("--session: is empty")
    if not yes and not sys.stdin.isatty():
        raise typer.BadParameter("nobody can be asked here: give --yes")
    plan = asyncio.run(_planned(tenant, user, key, session))
    if not yes:
        _ask(plan.words)
    _report(asyncio.run(_erased(plan)), as_json=as_json)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What is to be erased, of whom, and that in words; without a key and a session it is everything."""

    scope: Scope
    key: str | None
    session_id: str | None
    words: str


def _ask(words: str) -> None:
    """Ask whether to go on, not within an event loop, which would hold back a Ctrl-C; ends the command if not."""
    try:
        agreed = typer.confirm(f"Forget {words}?", err=True)
    except typer.Abort:
        raise typer.Exit(INTERRUPTED) from None
    if not agreed:
        said("Nothing was forgotten")
        raise typer.Exit(FAILED)


async def _planned(tenant: str | None, user: str | None, key: str | None, session: str | None) -> _Plan:
    from twofold.settings import load_settings

    async with opened_database(load_settings()) as database:
        scope = await chosen_scope(database, tenant, user, known_only=False)
        whole = None if key is None else await whole_key(database, scope, key)
        session_id = None if session is None else key_of_url(session)
        words = await _in_words(database, scope, whole, session_id)
    return _Plan(scope=scope, key=whole, session_id=session_id, words=words)


async def _in_words(database: Database, scope: Scope, key: str | None, session_id: str | None) -> str:
    if key is not None:
        memory = await database.memories.get(scope, key)
        text = "of which there is no memory" if memory is None else repr(shown(memory.text)[:MOST_SHOWN])
        return f"{url_key(key)}, {text}"
    if session_id is not None:
        return f"session {body_id(session_id)!r} and every memory that rests on it alone"
    known = await database.overview.people(tenant_id=scope.tenant_id, user_id=scope.user_id)
    counts = f"{many(known[0].memories, 'memory')}, {many(known[0].sessions, 'session')}" if known else "nothing"
    return f"everything of tenant {scope.tenant_id!r}, user {scope.user_id!r} ({counts})"


async def _erased(plan: _Plan) -> Erased:
    from twofold.settings import load_settings

    async with opened_database(load_settings()) as database:
        if plan.key is not None:
            return await database.memories.erase_memory(plan.scope, plan.key)
        if plan.session_id is not None:
            return await database.memories.erase_session(plan.scope, plan.session_id)
        return await database.memories.erase_user(plan.scope)


def _report(erased: Erased, *, as_json: bool) -> None:
    if as_json:
        from twofold.wire import ErasedBody

        print_document(ErasedBody(**asdict(erased)))
    elif erased.memories or erased.sessions or erased.audit_entries or erased.jobs:
        print_text(
            f"Forgotten: {many(erased.memories, 'memory')}, {many(erased.sessions, 'session')}, the words of"
            f" {many(erased.audit_entries, 'change')}, {many(erased.jobs, 'save')} that waited"
        )
    else:
        said("There was nothing of it")

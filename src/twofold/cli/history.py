"""`twofold history`: how a memory came to be what it is."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from twofold.cli.keys import whole_key
from twofold.cli.opening import opened_database
from twofold.cli.options import JsonOption, LimitOption, TenantOption, UserOption
from twofold.cli.output import Cell, Listing, is_terminal, print_document, print_listing, said
from twofold.cli.whose import chosen_scope
from twofold.memory.keys import body_id, url_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from twofold.memory.history import AuditEntry
    from twofold.wire import History

_COLUMNS = ("at", "action", "key", "before", "after", "session", "origin", "model")


def history(
    key: Annotated[
        str | None,
        typer.Argument(metavar="KEY", help="The memory; 6 characters of its key are enough. Left out: all of them."),
    ] = None,
    *,
    tenant: TenantOption = None,
    user: UserOption = None,
    limit: LimitOption = 100,
    as_json: JsonOption = False,
) -> None:
    """Tell how a memory came to be what it is.

    Each change with the words before and after, the session it came from and what decided it, the newest first.
    Erased memories keep their story, without its words.
    """
    asyncio.run(_history(key, tenant, user, limit, as_json=as_json))


async def _history(key: str | None, tenant: str | None, user: str | None, limit: int, *, as_json: bool) -> None:
    from twofold.settings import load_settings

    async with opened_database(load_settings()) as database:
        scope = await chosen_scope(database, tenant, user)
        whole = None if key is None else await whole_key(database, scope, key)
        changes = await database.memories.history(scope, whole, limit=limit)
    if as_json:
        print_document(_document(changes))
        return
    print_listing(_brief(changes) if is_terminal() else _full(changes))
    if not changes:
        said("Nothing is known of any change")


def _brief(changes: Sequence[AuditEntry]) -> Listing:
    """Return changes for a terminal: what was done in words, and why, one below the other."""
    rows: list[tuple[Cell, ...]] = []
    for change in changes:
        words = " → ".join(filter(None, (change.before, change.after)))
        told = ((change.origin, "{}"), (body_id(change.session_id), "session {}"), (change.model, "by {}"))
        because = ", ".join(form.format(value) for value, form in told if value)
        rows.append((change.at, change.action, _key(change), "\n".join(filter(None, (words, because)))))
    return Listing(columns=("at", "action", "key", "before → after, because of"), rows=rows, keys=frozenset({"key"}))


def _full(changes: Sequence[AuditEntry]) -> Listing:
    rows: list[tuple[Cell, ...]] = [
        (
            change.at,
            change.action,
            _key(change),
            change.before,
            change.after,
            body_id(change.session_id),
            change.origin,
            change.model,
        )
        for change in changes
    ]
    return Listing(columns=_COLUMNS, rows=rows)


def _key(change: AuditEntry) -> str:
    """Return the key; to erase all of a person has none."""
    return url_key(change.key) if change.key else ""


def _document(changes: Sequence[AuditEntry]) -> History:
    from twofold.wire import ChangeBody, History

    return History(changes=[ChangeBody.of(change) for change in changes])

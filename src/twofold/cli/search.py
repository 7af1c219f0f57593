"""`twofold search`: what an agent would be shown."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from twofold.cli.opening import opened_app
from twofold.cli.options import JsonOption, TenantOption, UserOption
from twofold.cli.output import Cell, Listing, print_document, print_listing, said
from twofold.cli.whose import chosen_scope
from twofold.memory.keys import url_key

if TYPE_CHECKING:
    from twofold.app import MemoryApp
    from twofold.memory.memories import Memory, Recall


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for, in words.")],
    *,
    tenant: TenantOption = None,
    user: UserOption = None,
    as_json: JsonOption = False,
) -> None:
    """Search as an agent's request does.

    At most 6 facts and 4 episodes come back, the newest first. To look does not prolong the life of what is found.
    """
    asyncio.run(_search(query, tenant, user, as_json=as_json))


async def _search(query: str, tenant: str | None, user: str | None, *, as_json: bool) -> None:
    from twofold.settings import load_settings

    async with opened_app(load_settings()) as app:
        scope = await chosen_scope(app.database, tenant, user)
        _print(await _only_looking(app).recall(scope, query), as_json=as_json)


def _only_looking(app: MemoryApp) -> MemoryApp:
    """Return the app with a read graph that re-dates nothing."""
    from twofold.graphs.read import build_read

    ports = replace(app.read_ports, recalled=lambda _scope: None)
    return replace(app, read_ports=ports, read=build_read(ports).compile())


def _print(recall: Recall, *, as_json: bool) -> None:
    if as_json:
        from twofold.wire import RecallBody

        print_document(RecallBody.of(recall))
        return
    rows = [_row(memory) for memory in (*recall.facts, *recall.episodes)]
    columns = ("key", "kind", "at", "likeness", "text")
    print_listing(Listing(columns=columns, rows=rows, texts=frozenset({"text"}), keys=frozenset({"key"})))
    if not rows:
        said("Nothing is remembered of that")


def _row(memory: Memory) -> tuple[Cell, ...]:
    likeness = "" if memory.score is None else f"{memory.score:.2f}"
    exact = ", exact" if memory.exact else ""
    return url_key(memory.key), memory.kind, memory.updated_at, f"{likeness}{exact}", memory.text

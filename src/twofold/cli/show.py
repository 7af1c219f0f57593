"""`twofold show`: what is remembered."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from twofold.cli.keys import no_memory, whole_key
from twofold.cli.one_memory import print_memory
from twofold.cli.opening import opened_database
from twofold.cli.options import JsonOption, LimitOption, TenantOption, UserOption
from twofold.cli.output import Listing, print_document, print_listing, said
from twofold.cli.whose import chosen_scope
from twofold.memory.keys import url_key
from twofold.memory.scope import Kind

if TYPE_CHECKING:
    from twofold.memory.memories import Memory
    from twofold.memory.scope import Scope
    from twofold.store.database import Database

FORMATS = ["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S%z"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chosen:
    """Which memories to show."""

    kind: Kind | None
    text: str | None
    since: datetime | None
    until: datetime | None
    limit: int


def show(
    *,
    tenant: TenantOption = None,
    user: UserOption = None,
    kind: Annotated[
        Kind | None, typer.Option("--kind", help="Only facts (`semantic`) or only episodes (`episodic`).")
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", metavar="TEXT", help="Only those that hold this text, in any case.")
    ] = None,
    since: Annotated[
        datetime | None,
        typer.Option(
            "--since",
            formats=FORMATS,
            metavar="TIME",
            help="Only those of this time or later: `2026-03-31`, `2026-03-31T17:00`; in UTC if it has no zone.",
        ),
    ] = None,
    until: Annotated[
        datetime | None, typer.Option("--until", formats=FORMATS, metavar="TIME", help="Only those before this time.")
    ] = None,
    key: Annotated[
        str | None,
        typer.Option("--key", metavar="KEY", help="Show one memory in full; 6 characters of its key are enough."),
    ] = None,
    limit: LimitOption = 50,
    as_json: JsonOption = False,
) -> None:
    """Show what is remembered of one person, the newest first.

    To look does not prolong its life. A pipe gets a line for each memory, with key, kind, time and text
    separated by tabs.
    """
    chosen = _Chosen(kind=kind, text=text, since=_in_utc(since), until=_in_utc(until), limit=limit)
    asyncio.run(_show(tenant, user, key, chosen, as_json=as_json))


async def _show(tenant: str | None, user: str | None, key: str | None, chosen: _Chosen, *, as_json: bool) -> None:
    from twofold.settings import load_settings

    async with opened_database(load_settings()) as database:
        scope = await chosen_scope(database, tenant, user)
        if key is not None:
            await _show_one(database, scope, key, as_json=as_json)
        else:
            await _show_page(database, scope, chosen, as_json=as_json)


async def _show_one(database: Database, scope: Scope, key: str, *, as_json: bool) -> None:
    from twofold.wire import MemoryBody

    memory = await database.memories.get(scope, await whole_key(database, scope, key))
    if memory is None:  # it is gone, and has a story only
        raise no_memory(key)
    if as_json:
        print_document(MemoryBody.of(memory))
    else:
        print_memory(memory)


async def _show_page(database: Database, scope: Scope, chosen: _Chosen, *, as_json: bool) -> None:
    from twofold.memory.clean import clean_text
    from twofold.wire import MemoryBody

    page = await database.memories.page(
        scope,
        kind=chosen.kind,
        text=clean_text(chosen.text or "") or None,
        since=chosen.since,
        until=chosen.until,
        limit=chosen.limit,
    )
    if as_json:
        memories = [MemoryBody.of(memory).model_dump(mode="json") for memory in page.memories]
        print_document({"memories": memories, "more": page.next is not None})
    else:
        print_listing(listing(page.memories))
    if page.next is not None:
        said("There are more: see --limit, --since and --until")
    if not page.memories:
        said("Nothing is remembered that fits")


def listing(memories: tuple[Memory, ...]) -> Listing:
    """Return memories as rows."""
    rows = [(url_key(memory.key), memory.kind, memory.updated_at, memory.text) for memory in memories]
    columns = ("key", "kind", "at", "text")
    return Listing(columns=columns, rows=rows, texts=frozenset({"text"}), keys=frozenset({"key"}))


def _in_utc(time: datetime | None) -> datetime | None:
    return time.replace(tzinfo=UTC) if time is not None and time.tzinfo is None else time

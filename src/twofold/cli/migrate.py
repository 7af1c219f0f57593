"""`twofold migrate`: prepare the database."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twofold.cli.exits import FOUND_WANTING
from twofold.cli.options import JsonOption
from twofold.cli.output import print_document, print_text, working

if TYPE_CHECKING:
    from twofold.settings import Settings
    from twofold.store.migrate import Prepared


@dataclass(frozen=True, slots=True, kw_only=True)
class _Done:
    """The database before and after."""

    database: str
    before: Prepared | None
    after: Prepared | None

    @property
    def current(self) -> bool:
        return self.after is not None and self.after.current

    @property
    def changed(self) -> bool:
        return self.before != self.after


def migrate(
    *,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit with 3 if the database is not prepared for this.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Prepare the database for this version.

    It costs one query where that is done, and any number may run at once. Every start of a memory does the same;
    run it before to have it done by a role that may, or at a time of your choice. Without TWOFOLD_DATABASE_URL it
    makes the embedded database.
    """
    done = asyncio.run(_checked() if check else _migrated())
    if as_json:
        print_document(_document(done))
    else:
        _tell(done, check=check)
    if not done.current:
        raise typer.Exit(FOUND_WANTING)


async def _checked() -> _Done:
    from twofold.chosen import database_url, has_database
    from twofold.settings import load_settings
    from twofold.store.migrate import prepared

    settings = load_settings()
    found = None
    if has_database(settings):
        found = await prepared(await asyncio.to_thread(database_url, settings, make=False))
    return _Done(database=settings.database_shown, before=found, after=found)


async def _migrated() -> _Done:
    from twofold.settings import load_settings

    settings = load_settings()
    with working("preparing the database"):
        return await _prepare(settings)


async def _prepare(settings: Settings) -> _Done:
    from twofold.chosen import chosen_models, database_url
    from twofold.store.migrate import migrate as migrate_store
    from twofold.store.migrate import prepared

    url = await asyncio.to_thread(database_url, settings)
    before = await prepared(url)
    recorded = None if before is None else (before.embedder, before.dims)
    embedder = (await asyncio.to_thread(chosen_models, settings, recorded)).embedder
    await migrate_store(url, dims=embedder.dims, embedder=embedder.name)
    return _Done(database=settings.database_shown, before=before, after=await prepared(url))


def _document(done: _Done) -> dict[str, Any]:
    after = done.after
    return {
        "database": done.database,
        "current": done.current,
        "changed": done.changed,
        "embedder": None if after is None else after.embedder,
        "dims": None if after is None else after.dims,
        "schema": None if after is None else after.schema,
        "schema_before": None if done.before is None else done.before.schema,
    }


def _tell(done: _Done, *, check: bool) -> None:
    after = done.after
    print_text(f"Database    {done.database}")
    if after is not None:
        print_text(f"Vectors     {after.dims} numbers, by {after.embedder}")
        print_text(f"Schema      {after.schema}")
    if done.current:
        what = "is prepared" if done.before is None else "was brought up to date"
        print_text(f"It {what}" if done.changed else "It is up to date: nothing to do")
    elif check:
        wanted = "" if after is None else f": it needs {after.wanted_schema}"
        print_text(f"It is not prepared for this version{wanted}. Run `twofold migrate`")

"""`twofold import`: bring the memories of another product."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twofold.cli.exits import FOUND_WANTING
from twofold.cli.mem0_export import Export, by_user, read_export
from twofold.cli.opening import opened_app
from twofold.cli.options import JsonOption, in_paragraphs
from twofold.cli.output import counting, many, print_document, print_text, said
from twofold.memory.errors import InvalidInput, TwofoldError
from twofold.memory.scope import Scope

if TYPE_CHECKING:
    from twofold.app import MemoryApp
    from twofold.settings import Settings

BATCH = 100

HELP = "Bring the memories of another product."

app = typer.Typer(help=HELP, no_args_is_help=True)


@app.callback()
def root() -> None:
    """Bring the memories of another product."""


def mem0(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", exists=True, dir_okay=False, readable=True, help="What `get_all` of Mem0 returned, as JSON."
        ),
    ],
    *,
    tenant: Annotated[
        str, typer.Option("--tenant", metavar="TENANT", help="The tenant they go to: for ADK agents the app's name.")
    ],
    user: Annotated[
        str | None, typer.Option("--user", metavar="USER", help="Whose the memories are that name no user.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read and check, and store nothing.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Import memories of Mem0 from its JSON.

    Each becomes a fact in its own words and of its own time; no model reads it, but it is redacted. A second import
    doubles nothing, and what was forgotten here stays forgotten. What cannot be imported is named by its number in
    the file, and the rest is imported; it then exits with 3.
    """
    from twofold.clock import SystemClock
    from twofold.settings import load_settings

    if tenant == "":
        raise typer.BadParameter("--tenant: is empty")
    settings, today = load_settings(), SystemClock().now().date()
    export = read_export(_document(file), user=user or None, today=today, redactor=settings.redactor)
    counts = Counter[str]() if dry_run or not export.found else asyncio.run(_imported(settings, tenant, export))
    _print(export, counts, dry_run=dry_run, as_json=as_json)
    if export.is_part or any(entry.wrong for entry in export.left_out):
        raise typer.Exit(FOUND_WANTING)


app.command("mem0", help=in_paragraphs(mem0), short_help="Import memories of Mem0 from its JSON.")(mem0)


def _document(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:  # its words quote no content
        told = f"line {error.lineno}, {error.msg}" if isinstance(error, json.JSONDecodeError) else "unreadable text"
        raise InvalidInput(f"FILE: {file} is not JSON: {told}") from None


async def _imported(settings: Settings, tenant: str, export: Export) -> Counter[str]:
    counts = Counter[str]()
    async with opened_app(settings) as memory:
        with counting("importing", enabled=True) as counted:
            try:
                await _store(memory, tenant, export, counts, counted)
            except TwofoldError:
                said(f"Stopped after {counts.total()} of {len(export.found)}; run it again, nothing is doubled")
                raise
    return counts


async def _store(
    memory: MemoryApp, tenant: str, export: Export, counts: Counter[str], counted: Callable[[int], None]
) -> None:
    for user_id, texts in by_user(export.found):
        scope = Scope(tenant_id=tenant, user_id=user_id)
        for first in range(0, len(texts), BATCH):
            batch = texts[first : first + BATCH]
            applied = await memory.add(scope, batch, origin="import")
            added = sum(each.action == "ADD" for each in applied)
            counts.update(added=added, known=len(applied) - added, forgotten=len(batch) - len(applied))
            counted(counts.total())


def _print(export: Export, counts: Counter[str], *, dry_run: bool, as_json: bool) -> None:
    usable, left_out = len(export.found), export.left_out
    if as_json:
        ends = {} if dry_run else {name: counts[name] for name in ("added", "known", "forgotten")}
        entries = [asdict(entry) for entry in left_out]
        print_document({"memories": usable, **ends, "left_out": entries, "is_part": export.is_part, "dry_run": dry_run})
    elif dry_run:
        print_text(f"{many(usable, 'memory')} of {many(len(list(by_user(export.found))), 'user')} can be imported")
    else:
        print_text(
            f"{many(usable, 'memory')}: {counts['added']} added, {counts['known']} known already,"
            f" {counts['forgotten']} forgotten here before"
        )
    for entry in left_out:
        said(f"Number {entry.number} is left out: it {entry.reason}")
    if export.is_part:
        said("The file is one page of several: it names a next one, which it does not hold")

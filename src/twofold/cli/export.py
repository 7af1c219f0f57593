"""`twofold export`: everything that is kept of a person, a line each."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from twofold.cli.opening import opened_app
from twofold.cli.options import TenantOption, UserOption
from twofold.cli.output import counting, json_text, many, said
from twofold.cli.whose import chosen_scope

if TYPE_CHECKING:
    from twofold.app import MemoryApp
    from twofold.memory.scope import Scope

OWNER_ONLY = 0o600


def export(
    *,
    tenant: TenantOption = None,
    user: UserOption = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to a new file that only you can read.")
    ] = None,
) -> None:
    """Print everything that is kept of one person.

    One JSON object a line: the memories, every change of them, and the sessions they came from.
    """
    if output is not None and output.exists():
        raise typer.BadParameter(f"{output} is there already: name a new file")
    if output is not None and not os.access(output.parent, os.W_OK | os.X_OK):
        raise typer.BadParameter(f"{output} cannot be written: is there such a folder, and may you write there?")
    asyncio.run(_export(tenant, user, output))


async def _export(tenant: str | None, user: str | None, output: Path | None) -> None:
    from twofold.settings import load_settings

    async with opened_app(load_settings()) as app:
        scope = await chosen_scope(app.database, tenant, user)
        with _stream(output) as stream:
            lines = await _write(app, scope, stream, shows_progress=output is not None)
    if output is not None:
        said(f"{many(lines, 'line')} in {output}")


async def _write(app: MemoryApp, scope: Scope, stream: TextIO, *, shows_progress: bool) -> int:
    lines = 0
    with counting("exporting", enabled=shows_progress) as counted:
        async for line in app.export(scope):
            stream.write(f"{json_text(line)}\n")
            lines += 1
            counted(lines)
    return lines


@contextmanager
def _stream(output: Path | None) -> Iterator[TextIO]:
    """Lend stdout, or a file that is there under its name only once it is whole."""
    if output is None:
        yield sys.stdout
        return
    part = output.with_name(f"{output.name}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, OWNER_ONLY), "w", encoding="utf-8") as file:
            yield file
        part.rename(output)
    finally:
        part.unlink(missing_ok=True)

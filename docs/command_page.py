"""The page of docs/reference/ about the command line, from the commands themselves."""

from __future__ import annotations

import typer
from typer.cli import get_docs_for_click
from typer.main import get_command

from twofold.cli.main import app


def command_page() -> str:
    """Return the page."""
    command = get_command(app)
    page = get_docs_for_click(obj=command, ctx=typer.Context(command), name="twofold")
    return "\n".join(line.rstrip() for line in page.rstrip().splitlines()) + "\n"

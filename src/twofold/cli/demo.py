"""`twofold demo`: both memories at work."""

from __future__ import annotations

import asyncio

import typer


def demo() -> None:
    """Show both memories at work, without any account.

    A month-end close fails, a new session knows why, and twelve recorded conversations are recalled. Everything
    lives in a temporary folder. With TWOFOLD_DATABASE_URL it lives in that database, and is erased at the end.
    """
    from twofold.demo.story import tell

    raise typer.Exit(asyncio.run(tell()))

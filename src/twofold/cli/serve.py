"""`twofold serve`: the HTTP API."""

from __future__ import annotations

import signal
from typing import Annotated

import typer

from twofold.cli.exits import INTERRUPTED

HOST, PORT = "127.0.0.1", 2025


def serve(
    *,
    host: Annotated[str, typer.Option("--host", help="The address to listen on; 0.0.0.0 is every one.")] = HOST,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 takes a free one.")] = PORT,
) -> None:
    """Serve memory over HTTP to agents on other machines.

    It also works on their saves, until it is told to stop. Without TWOFOLD_AUTH_ISSUER and TWOFOLD_SERVICE_KEYS it
    lets in the local user only, from this machine.
    """
    from twofold.api.serve import serve as serve_api
    from twofold.cli.logs import tell_progress

    tell_progress()
    if serve_api(host, port) == signal.SIGINT:
        raise typer.Exit(INTERRUPTED)

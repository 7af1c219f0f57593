"""The command `twofold`: its commands, and how it ends."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Annotated, NoReturn

import typer

from twofold import __version__
from twofold.cli import exits, imports, jobs, output
from twofold.cli.backfill import backfill
from twofold.cli.demo import demo
from twofold.cli.doctor import doctor
from twofold.cli.export import export
from twofold.cli.forget import forget
from twofold.cli.history import history
from twofold.cli.logs import quiet_libraries
from twofold.cli.migrate import migrate
from twofold.cli.options import in_paragraphs
from twofold.cli.search import search
from twofold.cli.serve import serve
from twofold.cli.show import show
from twofold.cli.worker import worker
from twofold.memory.errors import TwofoldError

DEBUG = "--debug"
MEMORIES, OPERATION, MOVING = "What is remembered", "Operation", "Bring what is there already"

app = typer.Typer(
    name="twofold",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="The settings are environment variables: TWOFOLD_DATABASE_URL and others, see the README."
    " Exit codes: 0 fine, 1 an error, 2 wrong usage, 3 something was found wanting, 130 interrupted.",
)


def _add(panel: str, *commands: Callable[..., None]) -> None:
    for command in commands:
        first_line = (command.__doc__ or "").partition("\n")[0]
        app.command(rich_help_panel=panel, short_help=first_line, help=in_paragraphs(command))(command)


_add("Start here", demo)
_add(MEMORIES, show, search, history, forget, export)
_add(OPERATION, doctor, migrate, serve, worker)
_add(MOVING, backfill)
app.add_typer(imports.app, name="import", short_help=imports.HELP, rich_help_panel=MOVING)
app.add_typer(jobs.app, name="jobs", short_help=jobs.HELP, rich_help_panel=OPERATION)


def _version(value: bool) -> None:  # noqa: FBT001 - typer's signature
    if value:
        typer.echo(f"twofold {__version__}")
        raise typer.Exit


@app.callback()
def root(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
    debug: Annotated[bool, typer.Option(DEBUG, help="Show where an error comes from; may stand anywhere.")] = False,
) -> None:
    """Long-term memory for Google ADK agents: look at it, take from it, run it."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command and end the process with its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = DEBUG in given
    quiet_libraries(debug=debug)
    output.make_safe()
    try:
        app(args=[argument for argument in given if argument != DEBUG], prog_name="twofold")
    except TwofoldError as error:
        _ended(error, str(error), debug=debug)
    except Exception as error:  # noqa: BLE001 - the end of the line; the words of others may quote a secret
        _ended(error, f"Unexpected {type(error).__name__}; `twofold {DEBUG} …` shows where", debug=debug)
    except KeyboardInterrupt:
        sys.exit(exits.INTERRUPTED)
    sys.exit(0)


def _ended(error: Exception, told: str, *, debug: bool) -> NoReturn:
    if debug:
        raise error
    output.said(f"twofold: {told}")
    sys.exit(exits.FAILED)

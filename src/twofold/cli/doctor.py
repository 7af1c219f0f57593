"""`twofold doctor`: what is well with an installation, what is not, and what to do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twofold.cli.exits import FOUND_WANTING
from twofold.cli.options import JsonOption
from twofold.cli.output import Listing, many, print_document, print_listing, said, working
from twofold.memory.errors import SettingsInvalid, StoreUnavailable, TwofoldError
from twofold.memory.findings import Finding

if TYPE_CHECKING:
    from twofold.cli.checks.subject import Subject

CHECK_SECONDS = 60.0


def doctor(
    *,
    agents: Annotated[
        Path | None, typer.Option("--agents", metavar="FOLDER", help="Also look at a folder of ADK agents.")
    ] = None,
    call_models: Annotated[
        bool, typer.Option("--call-models", help="Also ask the models once each, which costs next to nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Say what is well here, what is not, and what to do.

    Looks at database, models, saves, time to live, packages and who may call. Changes nothing. The embedded
    database is started for it if it was made before. Exits with 3 if there is a problem.
    """
    with working("looking"):
        findings = asyncio.run(_examine(agents, call_models=call_models))
    if as_json:
        print_document({"findings": [asdict(finding) for finding in findings]})
    else:
        rows = [(finding.level, finding.about, finding.found, finding.remedy) for finding in findings]
        print_listing(Listing(columns=("", "about", "found", "what to do"), rows=rows, texts=frozenset({"found"})))
    problems = sum(finding.level == "problem" for finding in findings)
    warnings = sum(finding.level == "warning" for finding in findings)
    said(f"{many(problems, 'problem')}, {many(warnings, 'warning')}")
    if problems:
        raise typer.Exit(FOUND_WANTING)


async def _examine(agents: Path | None, *, call_models: bool) -> list[Finding]:
    from twofold.cli.checks.subject import Subject
    from twofold.settings import load_settings

    try:
        settings = load_settings()
    except SettingsInvalid as error:  # the rest would stand on defaults that nobody set
        from twofold.cli.checks.names import misspelt

        remedy = "correct the variable, or unset it, and look again"
        return [Finding(level="problem", about="settings", found=str(error), remedy=remedy), *misspelt()]
    subject = Subject(settings=settings, agents=agents, call_models=call_models)
    findings: list[Finding] = []
    for about, check in _checks():
        findings += await _isolated(about, check, subject)
    return findings


def _checks() -> list[tuple[str, Callable[[Subject], Awaitable[list[Finding]]]]]:
    """Return the checks in order: that of the database is early, as later ones rest on it."""
    from twofold.cli.checks.auth import check_auth
    from twofold.cli.checks.database import check_database
    from twofold.cli.checks.lifetime import check_lifetime
    from twofold.cli.checks.models import check_models
    from twofold.cli.checks.names import check_names
    from twofold.cli.checks.packages import check_agents, check_packages
    from twofold.cli.checks.queue import check_queue

    return [
        ("settings", check_names),
        ("database", check_database),
        ("models", check_models),
        ("saves", check_queue),
        ("time to live", check_lifetime),
        ("packages", check_packages),
        ("agents", check_agents),
        ("who may call", check_auth),
    ]


async def _isolated(
    about: str, check: Callable[[Subject], Awaitable[list[Finding]]], subject: Subject
) -> list[Finding]:
    """Return what a check finds; one that fails is a finding too, and the others go on."""
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            return await check(subject)
    except TwofoldError as error:
        return [Finding(level="problem", about=about, found=str(error), remedy=_remedy(error, subject))]
    except Exception as error:  # noqa: BLE001 - whatever is wrong with one part, the others are looked at
        return [Finding(level="problem", about=about, found=f"it cannot be looked at: {type(error).__name__}")]


def _remedy(error: TwofoldError, subject: Subject) -> str:
    if isinstance(error, SettingsInvalid):
        return "correct the setting, or unset it, and look again"
    if isinstance(error, StoreUnavailable) and subject.settings.database_url is not None:
        return "start the database, or correct TWOFOLD_DATABASE_URL"
    return ""

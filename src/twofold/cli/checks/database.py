"""The database: whether it answers, is suited, prepared for this version, and may be used."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from twofold.chosen import database_url, has_database
from twofold.cli.checks.subject import Subject, ok, problem, warning
from twofold.memory.findings import Finding
from twofold.store.examination import Examined, examine

_MIGRATE = "run `twofold migrate`"


async def check_database(subject: Subject) -> list[Finding]:
    """Look at the database. Raises StoreUnavailable."""
    settings = subject.settings
    if not has_database(settings):
        return [
            warning(
                "database",
                f"there is none yet: the first start makes one in {settings.data_folder}",
                f"{_MIGRATE} to have it made now, or set TWOFOLD_DATABASE_URL",
            )
        ]
    url = await asyncio.to_thread(database_url, settings, make=False)
    examined = await examine(url)
    subject.url, subject.examined = url, examined
    answers = ok("database", f"PostgreSQL {examined.facts.version} answers: {settings.database_shown}")
    return [answers, *_suited(examined), *_prepared(examined)]


def _suited(examined: Examined) -> Iterator[Finding]:
    facts = examined.facts
    if examined.problem:
        yield problem("database", examined.problem)
        return
    if facts.installed:
        yield ok("pgvector", f"version {facts.installed}")
    else:
        yield ok("pgvector", f"version {facts.available} is there to be installed by `twofold migrate`")


def _prepared(examined: Examined) -> Iterator[Finding]:
    prepared = examined.prepared
    if prepared is None:
        yield warning("schema", "the database is not prepared yet; the first start does it", f"{_MIGRATE} to do it now")
        return
    if not prepared.current:
        yield warning(
            "schema",
            "it was prepared by another version of twofold; this one needs other tables",
            f"stop the workers of the older version and {_MIGRATE}; the next start does it too",
        )
    else:
        yield ok("schema", "current")
    if examined.lacking:
        yield problem(
            "rights",
            f"role {examined.facts.role!r} may not read and write {', '.join(examined.lacking)}",
            f"GRANT USAGE ON SCHEMA twofold, and SELECT, INSERT, UPDATE, DELETE on them, to {examined.facts.role!r}",
        )
    else:
        more = "" if examined.facts.may_create else "; another role has to run `twofold migrate` after an update"
        yield ok("rights", f"role {examined.facts.role!r} may read and write every table{more}")

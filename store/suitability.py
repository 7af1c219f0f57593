"""Whether a server and its database have what twofold needs."""

from __future__ import annotations

from dataclasses import dataclass

from psycopg.rows import class_row

from twofold.memory.errors import StoreUnsuitable
from twofold.store.pool import Connection
from twofold.store.refusals import rights_wanted

LEAST_POSTGRES = 15
LEAST_PGVECTOR = (0, 8)

_FACTS = """
SELECT current_setting('server_version_num')::int / 10000 AS postgres,
       current_setting('server_version') AS version,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS installed,
       (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS available,
       current_database()::text AS database,
       current_user::text AS role,
       pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS read_only,
       has_database_privilege(current_database(), 'CREATE')
           AND has_schema_privilege('public', 'CREATE') AS may_create
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the server says of itself, of pgvector, and of this role's rights."""

    postgres: int
    version: str
    installed: str | None
    available: str | None
    database: str
    role: str
    read_only: bool
    may_create: bool


async def check(connection: Connection) -> None:
    """Raise StoreUnsuitable, naming what is missing and what to do, unless a schema can be made here."""
    facts = await facts_of(connection)
    if problem := problem_of(facts):
        raise StoreUnsuitable(problem)


async def facts_of(connection: Connection) -> Facts:
    """Ask the server."""
    async with connection.cursor(row_factory=class_row(Facts)) as cursor:
        facts = await (await cursor.execute(_FACTS)).fetchone()
    if facts is None:
        raise StoreUnsuitable("The server does not say what it is")
    return facts


def problem_of(facts: Facts) -> str:
    """Return what keeps a schema from being made there, and what to do; empty where nothing does."""
    if facts.postgres < LEAST_POSTGRES:
        return f"PostgreSQL {facts.postgres} is too old: twofold needs {LEAST_POSTGRES} or newer."
    if facts.installed is None and facts.available is None:
        return (
            "The server has no pgvector: install it there (Debian: `postgresql-NN-pgvector`; Docker: the image"
            " `pgvector/pgvector`), version 0.8 or newer."
        )
    vector = facts.installed or facts.available or ""
    if _version(vector) < LEAST_PGVECTOR:
        update = "then run ALTER EXTENSION vector UPDATE in this database" if facts.installed else "and try again"
        return f"pgvector {vector} is too old: install 0.8 or newer on the server, {update}."
    if facts.read_only:
        return (
            f"Database {facts.database!r} is read-only for {facts.role!r}: connect to the primary, with a role whose"
            " default_transaction_read_only is off."
        )
    if not facts.may_create:
        return f"Role {facts.role!r} may not create tables in database {facts.database!r}. {rights_wanted()}"
    return ""


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:2] if part.isdigit())

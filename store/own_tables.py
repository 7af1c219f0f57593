"""Our own tables, made by the numbered SQL files in migrations/ and yoyo."""

from __future__ import annotations

import glob
from pathlib import Path
from typing import Any
from uuid import uuid1

from psycopg.conninfo import conninfo_to_dict
from yoyo import read_migrations
from yoyo.backends.core.postgresql import PostgresqlPsycopgBackend
from yoyo.connections import DatabaseURI
from yoyo.migrations import default_migration_table

from twofold.memory.errors import StoreUnsuitable

_FOLDER = Path(__file__).parent / "migrations"


class _Backend(PostgresqlPsycopgBackend):  # type: ignore[misc]
    """yoyo's backend in the schema `twofold`."""

    def get_log_data(self, migration: Any = None, operation: str = "apply") -> dict[str, Any]:
        """Return yoyo's log entry without asking for login and host name.

        A container's user may have no name, and looking up a host's can take ten seconds.
        """
        return {
            "id": str(uuid1()),
            "migration_id": migration.id if migration else None,
            "migration_hash": migration.hash if migration else None,
            "username": "twofold",
            "hostname": "",
            "created_at_utc": self.execute("SELECT now() AT TIME ZONE 'utc'").fetchone()[0],
            "operation": operation,
        }


def own_migrations() -> list[str]:
    """Return the names of the migrations, in order."""
    return sorted(path.stem for path in _FOLDER.glob("*.sql"))


def make_own_tables(url: str) -> None:
    """Apply what is missing. Blocks. The caller must be alone: a lock left by a killed process is broken.

    Raises StoreUnsuitable if a migration cannot be read, psycopg.Error if one fails.
    """
    parts = {name: str(value) for name, value in conninfo_to_dict(url).items() if value is not None}
    with _Backend(_address(parts), default_migration_table) as backend:
        backend.create_lock_table()
        backend.break_lock()
        migrations = read_migrations(glob.escape(str(_FOLDER)))
        backend.apply_migrations(backend.to_apply(migrations))
        if missing := [migration.id for migration in backend.to_apply(migrations)]:
            raise StoreUnsuitable(f"The migrations {missing} of this installation cannot be read; install it again")


def _address(parts: dict[str, str]) -> DatabaseURI:
    # Not by yoyo's own reading of a URL: ours may also be a libpq string, or have several hosts.
    database = parts.pop("dbname", None)
    return DatabaseURI(
        scheme="postgresql+psycopg",
        username=None,
        password=None,
        hostname=None,
        port=None,
        database=database,
        args={**parts, "schema": "twofold", "application_name": "twofold"},
    )

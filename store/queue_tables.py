"""procrastinate's tables, in the schema `twofold`."""

from __future__ import annotations

import asyncio
from pathlib import Path

from procrastinate.schema import SchemaManager, migrations_path

from twofold.store.pool import Connection, own_path

_THERE = "SELECT to_regclass('twofold.procrastinate_jobs') IS NOT NULL AS found"
_HAD = "SELECT name FROM twofold.queue_migration"
_NOTE = "INSERT INTO twofold.queue_migration (name) SELECT unnest(%s::text[]) ON CONFLICT DO NOTHING"


def migrations() -> list[str]:
    """Return the names of procrastinate's migrations, in order: version, then number."""
    return sorted(path.stem for path in migrations_path.glob("*.sql"))


async def make(connection: Connection) -> None:
    """Make the tables; on a database that has them, apply the migrations of a newer procrastinate.

    procrastinate ships the whole schema for a new database and one file for each later change. Its files named
    `pre` go before and `post` after a deployment; here they go together, so stop old workers first.
    """
    names = await asyncio.to_thread(migrations)
    async with connection.transaction():
        await own_path(connection)
        row = await (await connection.execute(_THERE)).fetchone()
        if row is None or not row["found"]:
            await connection.execute(await asyncio.to_thread(SchemaManager.get_schema))
        else:
            await _update(connection, names)
        await connection.execute(_NOTE, (names,))


async def _update(connection: Connection, names: list[str]) -> None:
    had = {row["name"] for row in await (await connection.execute(_HAD)).fetchall()}
    for name in names:
        if name not in had:
            sql = await asyncio.to_thread((Path(migrations_path) / f"{name}.sql").read_text, encoding="utf-8")
            await connection.execute(sql)

"""All that a database holds, as text."""

from __future__ import annotations

import psycopg
from psycopg import sql


def dumped(database_url: str) -> bytes:
    """Return every row of every table of every schema, LangGraph's, the queue's and ours, as PostgreSQL shows it."""
    with psycopg.connect(database_url) as connection:
        tables = connection.execute(
            "SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
        ).fetchall()
        rows = (
            row
            for schema, table in tables
            for (row,) in connection.execute(
                sql.SQL("SELECT row::text FROM {} AS row").format(sql.Identifier(schema, table))
            )
        )
        return "\n".join(rows).encode()

"""Databases that come and go, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlencode
from uuid import uuid4

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict


@contextmanager
def throwaway_database(server_url: str) -> Iterator[str]:
    """Lend a new, empty database on the server that `server_url` reaches; drops it at the end."""
    name = f"throwaway_{uuid4().hex}"
    server = conninfo_to_dict(server_url)
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield f"postgresql:///{name}?{urlencode({k: v for k, v in server.items() if k != 'dbname'})}"
        finally:
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

"""Memory on a database of its own, without a model, in this process and on a server; and sessions in SQLite."""

from __future__ import annotations

from tests.services import (
    database_url,
    embedder,
    empty_database_url,
    host,
    migrated,
    models,
    service,
    services,
    sessions,
)

__all__ = [
    "database_url",
    "embedder",
    "empty_database_url",
    "host",
    "migrated",
    "models",
    "service",
    "services",
    "sessions",
]

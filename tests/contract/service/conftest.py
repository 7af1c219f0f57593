"""What is promised of a memory service is promised in this process and on a server."""

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

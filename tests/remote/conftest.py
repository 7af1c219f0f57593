"""A database of the test's own, and models that need no network."""

from __future__ import annotations

from tests.services import database_url, embedder, empty_database_url, migrated, models, sessions

__all__ = ["database_url", "embedder", "empty_database_url", "migrated", "models", "sessions"]

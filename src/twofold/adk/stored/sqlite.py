"""SQLite files of ADK, opened so that nothing can be written."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from twofold.memory.errors import StoreUnavailable

# Somebody may be writing to it meanwhile, for a moment.
_PATIENCE_SECONDS = 30.0


class SqliteRows:
    """One file: of `DatabaseSessionService`, whose times are text in UTC, or of `adk web`, whose times are numbers."""

    def __init__(self, path: Path) -> None:
        """Open the file. Raises StoreUnavailable."""
        self._path = path
        address = f"file:{quote(str(path.resolve()))}?mode=ro"
        try:
            self._connection = sqlite3.connect(
                address, uri=True, timeout=_PATIENCE_SECONDS, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise self._unreadable(error) from error
        try:
            self._numbers = self.columns("sessions").get("update_time") == "real"
        except StoreUnavailable:
            self._connection.close()
            raise

    @property
    def shown(self) -> str:
        """The file's path."""
        return str(self._path)

    def columns(self, table: str) -> Mapping[str, str]:
        """Return the type of each column of a table, in lower case."""
        rows = self.all("SELECT name, lower(type) FROM pragma_table_info(:table)", {"table": table})
        return dict(rows)

    def all(self, statement: str, parameters: Mapping[str, object]) -> Sequence[tuple[Any, ...]]:
        """Return all rows of a query. Raises StoreUnavailable."""
        try:
            return self._connection.execute(statement, parameters).fetchall()
        except sqlite3.Error as error:
            raise self._unreadable(error) from error

    def stored(self, at: datetime) -> object:
        """Return a time as this file holds it."""
        return at.timestamp() if self._numbers else at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")

    def seconds(self, stored: Any) -> float:
        """Return a time of a column as seconds since 1970."""
        if isinstance(stored, (int, float)):
            return float(stored)
        return datetime.fromisoformat(str(stored)).replace(tzinfo=UTC).timestamp()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _unreadable(self, error: sqlite3.Error) -> StoreUnavailable:
        return StoreUnavailable(f"The session database {self._path} cannot be read: {error}")

"""What reading asks of a database, whichever it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol


class Rows(Protocol):
    """A database that is open for reading only. Used by one thread at a time."""

    @property
    def shown(self) -> str:
        """Where it is, without user and password."""

    def columns(self, table: str) -> Mapping[str, str]:
        """Return the type of each column of a table, in lower case; nothing where there is no such table."""

    def all(self, statement: str, parameters: Mapping[str, object]) -> Sequence[tuple[Any, ...]]:
        """Return all rows of a query with parameters like `:name`, in a transaction of its own.

        Raises StoreUnavailable.
        """

    def stored(self, at: datetime) -> object:
        """Return a time as this database holds it, to be compared with a column."""

    def seconds(self, stored: Any) -> float:
        """Return a time of a column as seconds since 1970."""

    def close(self) -> None:
        """Let go of it."""

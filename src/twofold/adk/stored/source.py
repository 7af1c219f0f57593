"""What a source is called, and the databases it comes to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from urllib.parse import unquote

from twofold.adk.stored.postgres import PostgresRows
from twofold.adk.stored.rows import Rows
from twofold.adk.stored.sessions import SessionFilter, SessionPart, StoredSessions
from twofold.adk.stored.sqlite import SqliteRows
from twofold.memory.errors import InvalidInput
from twofold.memory.redaction import DEFAULT, Redactor

# Where `adk web` and `adk run` keep an agent's sessions, in the folder of the agent.
ADK_FOLDER, ADK_FILE = ".adk", "session.db"
_NO_AGENTS = frozenset({"node_modules", "__pycache__", "venv"})
_FORMS = (
    "postgresql://user@host/database, sqlite:///sessions.db, a SQLite file, or a folder of agents, in which `adk web`"
    f" keeps {ADK_FOLDER}/{ADK_FILE}"
)


class SessionSource:
    """All sessions of the databases that a source comes to, one database after the other."""

    def __init__(self, databases: tuple[StoredSessions, ...]) -> None:
        """Take the databases, which are open."""
        self._databases = databases

    def count(self) -> int:
        """Return how many sessions there are now. Raises StoreUnavailable."""
        return sum(database.count() for database in self._databases)

    def parts(self) -> Iterator[SessionPart]:
        """Yield every session, in parts. Raises StoreUnavailable."""
        for database in self._databases:
            yield from database.parts()


@contextmanager
def opened_source(address: str, chosen: SessionFilter, redactor: Redactor = DEFAULT) -> Iterator[SessionSource]:
    """Open what an address names, for reading only: any thread may read, one at a time.

    `redactor` takes the secrets out of all that is read.
    Raises InvalidInput for what is no session database that can be read, naming the way out; StoreUnavailable.
    """
    with ExitStack() as stack:
        rows = [stack.enter_context(closing(each)) for each in _databases(address)]
        yield SessionSource(tuple(StoredSessions(each, chosen, redactor) for each in rows))


def _databases(address: str) -> Iterator[Rows]:
    scheme, separator, rest = address.partition("://")
    kind = scheme.partition("+")[0] if separator else ""
    if kind in {"postgresql", "postgres"}:
        yield PostgresRows(address)
    elif kind in {"", "sqlite"}:
        yield from map(SqliteRows, _files(_path(rest) if separator else Path(address)))
    else:
        raise InvalidInput(f"SOURCE: {kind!r:.40} cannot be read; give {_FORMS}")


def _path(rest: str) -> Path:
    """Return the file that SQLAlchemy's form of an address names: `/` and its path."""
    name = unquote(rest.partition("?")[0].removeprefix("/"))
    if not name or name == ":memory:":
        raise InvalidInput("SOURCE: names no file; it looks like sqlite:///sessions.db")
    return Path(name)


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise InvalidInput(f"SOURCE: there is no file and no folder {str(path)!r:.200}; give {_FORMS}")
    found = sorted(_session_files(path))
    if not found:
        raise InvalidInput(f"SOURCE: no agent in {path} has sessions: there is no {ADK_FOLDER}/{ADK_FILE}")
    return found


def _session_files(folder: Path) -> Iterator[Path]:
    if folder.name == ADK_FOLDER and (folder / ADK_FILE).is_file():
        yield folder / ADK_FILE
    for parent, folders, _ in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _NO_AGENTS]
        file = Path(parent, ADK_FOLDER, ADK_FILE)
        if file.is_file():
            yield file

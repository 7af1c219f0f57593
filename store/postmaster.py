"""Whether the process that a Postgres data folder names as its server is alive, and is that server."""

from __future__ import annotations

import time
from pathlib import Path

import psutil

_GONE_SECONDS = 10.0
_PAUSE_SECONDS = 0.1


def is_alive(pid: int) -> bool:
    """Whether a process with this id runs. A zombie does not: without an init process nobody reaps it."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def is_being_made(folder: Path) -> bool:
    """Whether `initdb` is at work on this folder."""
    return any(_names(process, folder) for process in psutil.process_iter() if _name(process) == "initdb")


def serves(folder: Path) -> bool:
    """Whether the process named in `postmaster.pid` is alive and the server of this folder.

    After kill -9 or the restart of a container the process id is a zombie's, or another program's that got
    the same number; both the package and Postgres then believe that the server runs.
    """
    pid = _first_number(folder / "postmaster.pid")
    if pid is None or not is_alive(pid):
        return False
    process = psutil.Process(pid)
    return _name(process).startswith("postgres") and _names(process, folder)


def discard(folder: Path) -> None:
    """Remove the `postmaster.pid` and the socket's lock of a server that is gone, when nothing of it is left.

    Waits for its children, which notice its death: two servers on one folder destroy it. Raises RuntimeError
    if they stay.
    """
    deadline = time.monotonic() + _GONE_SECONDS
    while _left_over(folder):
        if time.monotonic() >= deadline:
            raise RuntimeError("processes of a server that was killed still use the folder")
        time.sleep(_PAUSE_SECONDS)
    pidfile = folder / "postmaster.pid"
    for lock in _socket_locks(folder, pidfile):
        if _lines(lock)[1:2] == [str(folder)]:
            lock.unlink(missing_ok=True)
    pidfile.unlink(missing_ok=True)


def _socket_locks(folder: Path, pidfile: Path) -> set[Path]:
    # Both files begin with process id, data folder, start time and port; the first goes on with the socket's folder.
    sockets = [Path(line) for line in _lines(pidfile)[4:5]]
    return {place / ".s.PGSQL.5432.lock" for place in (folder, *sockets)}


def _left_over(folder: Path) -> bool:
    return any(
        _name(process).startswith("postgres") and is_alive(process.pid) and _works_in(process, folder)
        for process in psutil.process_iter()
    )


def _works_in(process: psutil.Process, folder: Path) -> bool:
    try:
        return Path(process.cwd()) == folder
    except (psutil.Error, OSError):
        return False


def _names(process: psutil.Process, folder: Path) -> bool:
    try:
        return str(folder) in process.cmdline()
    except (psutil.Error, OSError):
        return False


def _name(process: psutil.Process) -> str:
    try:
        return str(process.name())
    except (psutil.Error, OSError):
        return ""


def _first_number(file: Path) -> int | None:
    try:
        return int(_lines(file)[0])
    except (IndexError, ValueError):
        return None


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text().splitlines()
    except OSError:
        return []

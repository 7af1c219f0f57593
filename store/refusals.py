"""What a database error means, in words that say what to do. Never the password."""

from __future__ import annotations

import re
from collections.abc import Mapping

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict

from twofold.memory.errors import Conflict, StoreUnavailable, StoreUnsuitable, TwofoldError

_UNPREPARED = (
    errors.UndefinedTable,
    errors.UndefinedColumn,
    errors.UndefinedFunction,
    errors.UndefinedObject,
    errors.InvalidSchemaName,
)
_WHAT_TO_DO = (
    (
        r"password authentication failed|no password supplied",
        "Check the user and the password in the database URL.",
    ),
    (r'database ".*" does not exist', "Create it, or name an existing one in the database URL."),
    (r'role ".*" does not exist', "Create the role, or name an existing one in the database URL."),
    (r"no pg_hba\.conf entry", "Have the server's pg_hba.conf admit this user from this machine."),
    (r"translate host name|Name or service not known", "Check the host name in the database URL."),
    (r"[Cc]onnection refused|No such file or directory", "Start the server, or check host and port."),
    (
        r"timeout expired|timed out|couldn't get a connection",
        "Check host, port and firewall, and that it is up.",
    ),
    (
        r"too many (clients|connections)|remaining connection slots",
        "Raise max_connections, or lower the pool size.",
    ),
    (r"starting up|shutting down|recovery mode", "Wait until the server is up and try again."),
    (r"lock timeout", "Another session holds it in a transaction (see pg_locks); try again."),
    (r"SSL|certificate", "Check `sslmode` and the certificates in the database URL."),
)


def told(error: psycopg.Error) -> TwofoldError:
    """Return what an error of a statement means: Conflict, StoreUnsuitable or StoreUnavailable."""
    said = error.diag.message_primary or str(error).strip() or type(error).__name__
    if isinstance(error, errors.DeadlockDetected | errors.SerializationFailure):
        return Conflict(f"Another writer was in the way ({said}); run it again")
    if isinstance(error, errors.ReadOnlySqlTransaction):
        return StoreUnsuitable(
            f"The database is read-only here ({said}). Connect to the primary, with a role that may write."
        )
    if isinstance(error, errors.InsufficientPrivilege):
        return StoreUnsuitable(f"The database role lacks a right ({said}). {rights_wanted()}")
    if isinstance(error, _UNPREPARED):
        return StoreUnsuitable(
            f"The database is not prepared for this version of twofold ({said}). Run `twofold migrate`."
        )
    return StoreUnavailable(f"The database refused or was lost: {said}. {_advice(said)}".strip())


def told_at_connect(error: psycopg.Error, url: str) -> StoreUnavailable:
    """Return why a connection could not be opened, naming server, database and user."""
    said = _first_line(error)
    return StoreUnavailable(f"Cannot open {_shown(url)}: {said}. {_advice(said)}".strip())


def is_misread(parts: Mapping[str, object]) -> bool:
    """Whether a special character in the password has moved part of it to where we would show it."""
    port, shown = str(parts.get("port") or ""), f"{parts.get('host')}{parts.get('dbname')}"
    return not re.fullmatch(r"[\d,]*", port) or "@" in shown


def unreadable_url() -> StoreUnavailable:
    """Return the error for a database URL that cannot be parsed; quotes nothing of it."""
    return StoreUnavailable(
        "The database URL cannot be read. It looks like postgresql://user:password@host:5432/database; special"
        " characters in user and password are percent-encoded (`@` is %40, `%` is %25)."
    )


def rights_wanted() -> str:
    """Return the rights that a role needs to prepare a database."""
    return (
        "It needs CREATE on the database and on its schema `public`: ask its owner for GRANT CREATE ON both, or have"
        " `twofold migrate` run by a role that has it."
    )


def _advice(said: str) -> str:
    return next((advice for pattern, advice in _WHAT_TO_DO if re.search(pattern, said)), "")


def _first_line(error: psycopg.Error) -> str:
    # "connection failed: connection to server at "127.0.0.1", port 5432 failed: FATAL:  password …"
    line = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
    return re.sub(r"^.*?failed: (?:connection to server .*? failed: )?(?:FATAL:\s+)?", "", line).strip().rstrip(".")


def _shown(url: str) -> str:
    parts = conninfo_to_dict(url)
    host, port = parts.get("host") or parts.get("hostaddr") or "the local socket", parts.get("port") or 5432
    return f"PostgreSQL at {host}:{port}, database {parts.get('dbname')!r}, user {parts.get('user')!r}"

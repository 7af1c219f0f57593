"""What is no session database that can be read is refused with the way out, and without its password."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests.services import as_url
from tests.stored_sessions import kept
from twofold.adk.stored.sessions import SessionFilter
from twofold.adk.stored.source import opened_source
from twofold.memory.errors import InvalidInput, StoreUnavailable, TwofoldError

V0 = """
CREATE TABLE sessions (app_name TEXT, user_id TEXT, id TEXT, state TEXT, create_time TIMESTAMP, update_time TIMESTAMP);
CREATE TABLE events (id TEXT, app_name TEXT, user_id TEXT, session_id TEXT, invocation_id TEXT, author TEXT,
                     actions BYTEA, timestamp TIMESTAMP, content TEXT);
"""
V1_OF_ANOTHER = V0.replace("actions BYTEA", "event_data TEXT").replace("update_time TIMESTAMP", "touched TIMESTAMP")


def refusal(address: str) -> str:
    with pytest.raises(TwofoldError) as raised, opened_source(address, SessionFilter()) as source:
        list(source.parts())
    return f"{type(raised.value).__name__}: {raised.value}"


def sqlite_file(folder: Path, script: str) -> str:
    path = folder / "some.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return str(path)


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (V0, "schema v0, which holds pickles, and those are never loaded. Run `adk migrate session"),
        (V1_OF_ANOTHER, r"lacks the columns \['update_time'\]"),
        ("CREATE TABLE notes (id TEXT);", "holds no sessions of ADK"),
        ("", "holds no sessions of ADK"),
    ],
)
def test_a_file_of_another_schema(script: str, told: str, tmp_path: Path) -> None:
    address = sqlite_file(tmp_path, script)
    with pytest.raises(InvalidInput, match=told) as raised, opened_source(address, SessionFilter()):
        pass
    assert address in str(raised.value)


def test_a_database_of_schema_v0(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(V0)
    assert "`adk migrate session --source_db_url" in refusal(as_url(database_url))


async def test_a_schema_of_later(tmp_path: Path) -> None:
    async with kept("sqlite", tmp_path, "") as lent:
        await lent.keep("s1", [])
    with closing(sqlite3.connect(tmp_path / "sessions.db")) as connection, connection:
        connection.execute("UPDATE adk_internal_metadata SET value = '2'")
    assert "schema version 2; only version 1 can be read" in refusal(lent.address)


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("nowhere.db", "there is no file and no folder"),
        ("", "no agent in . has sessions: there is no .adk/session.db"),
        (
            "mysql+aiomysql://root:s3cr3t@host/db",
            "'mysql' cannot be read; give postgresql://user@host/database, sqlite:",
        ),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("postgresql://user:s3cr3t@host:port/db", "is no address of a database"),
        (
            "postgresql://user:s3cr3t@127.0.0.1:1/db",
            "StoreUnavailable: The session database 127.0.0.1/db cannot be read",
        ),
    ],
)
def test_an_address_that_leads_nowhere(
    address: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = refusal(address)
    assert told in said
    assert "s3cr3t" not in said


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_text("Call the auditor. " * 1000)
    with pytest.raises(StoreUnavailable, match=r"notes\.db cannot be read: file is not a database"):
        opened_source(str(path), SessionFilter()).__enter__()


def test_without_the_extra_postgres_says_what_to_install_and_files_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    assert "pip install 'twofold[adk-db]'" in refusal("postgresql://host/db")
    assert "holds no sessions of ADK" in refusal(sqlite_file(tmp_path, ""))

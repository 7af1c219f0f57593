"""How a server ends, gracefully or not: nothing that was answered is lost, and nothing is left running."""

from __future__ import annotations

import signal
from http import HTTPStatus
from pathlib import Path

import psycopg

from tests.adk_servers.server import (
    CLOSE,
    REASON,
    RUN_ONCE,
    WEB,
    WEB_DATABASE,
    address_of,
    arguments,
    ended,
    environment_of,
    running,
    stored,
    stored_at_last,
)
from twofold.store import postmaster

LATER = {"TWOFOLD_SETTLE_SECONDS": "60"}


def test_what_waits_is_stored_before_an_interrupted_server_ends(database_url: str, home: Path) -> None:
    command = arguments(WEB_DATABASE, uri=address_of(database_url))
    with running(command, cwd=home, environment=environment_of(home, **LATER), log=home / "ends.log") as server:
        server.person("anna").say("interrupted", CLOSE)
        assert stored(database_url, "episodic") == []
        server.stop(signal.SIGINT)
    (episode,) = stored(database_url, "episodic")
    assert REASON in episode


def test_a_server_killed_after_its_answer_loses_nothing(database_url: str, home: Path) -> None:
    command = arguments(WEB_DATABASE, uri=address_of(database_url))
    with running(command, cwd=home, environment=environment_of(home, **LATER), log=home / "killed.log") as server:
        server.person("anna").say("killed", CLOSE)
        server.stop(signal.SIGKILL)
    assert stored(database_url, "episodic") == []
    hurry(database_url)
    with running(command, cwd=home, environment=environment_of(home), log=home / "next.log") as server:
        server.person("ben").say("next", "Good morning.")
        (episode,) = stored_at_last(database_url, "episodic")
        assert REASON in episode


def test_the_embedded_database_is_given_what_waits_and_ends_with_a_terminated_server(home: Path) -> None:
    environment = environment_of(home, **LATER)
    with running(arguments(WEB), cwd=home, environment=environment, log=home / "embedded.log") as server:
        server.person("test_user").say("embedded", CLOSE)
        server.stop(signal.SIGTERM)
    assert not postmaster.serves(home / "data" / "postgres")
    answer = ended(arguments(RUN_ONCE), cwd=home, environment=environment)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.splitlines()[-1].endswith(REASON)
    assert not postmaster.serves(home / "data" / "postgres")


def test_memory_that_is_down_stops_no_agent_and_the_memory_route_says_so(home: Path) -> None:
    nowhere = "twofold+postgresql://nobody@127.0.0.1:9/nothing"
    command = arguments(WEB_DATABASE, uri=nowhere)
    with running(command, cwd=home, environment=environment_of(home), log=home / "down.log") as server:
        anna = server.person("anna")
        assert anna.say("down", CLOSE) == "close_period failed: open subledgers exist."
        assert anna.save("down").status_code == HTTPStatus.INTERNAL_SERVER_ERROR
        assert anna.say("down", "Thanks.", new=False) == "Noted."
        server.stop(signal.SIGTERM)
    assert "hand the whole session over again" in (home / "down.log").read_text()


def hurry(database_url: str) -> None:
    """Let the time pass that a save waits for the next turn."""
    with psycopg.connect(database_url) as connection:
        connection.execute("SET search_path TO twofold")
        connection.execute("UPDATE twofold.procrastinate_jobs SET scheduled_at = now() WHERE status = 'todo'")

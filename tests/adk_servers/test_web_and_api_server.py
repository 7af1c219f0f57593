"""`adk web` and `adk api_server` on one PostgreSQL, driven over ADK's HTTP API by people in several sessions."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import psycopg
import pytest

from tests.adk_servers.server import (
    API_SERVER,
    CLOSE,
    FACT,
    REASON,
    WEB_DATABASE,
    WHY,
    AdkServer,
    address_of,
    arguments,
    environment_of,
    running,
    stored_at_last,
)
from tests.database import DatabaseServer


@pytest.fixture(scope="module")
def database(database_server: DatabaseServer) -> Iterator[str]:
    with database_server.database() as settings:
        yield settings


@pytest.fixture(scope="module")
def web(database: str, home: Path) -> Iterator[AdkServer]:
    command = arguments(WEB_DATABASE, uri=address_of(database))
    with running(command, cwd=home, environment=environment_of(home), log=home / "web.log") as server:
        yield server


@pytest.fixture(scope="module")
def api_server(database: str, home: Path) -> Iterator[AdkServer]:
    command = arguments(API_SERVER, uri=address_of(database))
    with running(command, cwd=home, environment=environment_of(home), log=home / "api.log") as server:
        yield server


def test_a_second_session_is_answered_from_the_first(web: AdkServer, database: str) -> None:
    anna = web.person("anna")
    anna.say("a1", FACT)
    assert anna.say("a1", CLOSE, new=False) == "close_period failed: open subledgers exist."
    stored_at_last(database, "semantic", user_id="anna")
    (episode,) = stored_at_last(database, "episodic", user_id="anna")
    assert REASON in episode
    assert anna.say("a2", WHY).endswith(REASON)
    assert "US Primary Ledger" in anna.say("a3", "Which ledger do I work with?")


def test_a_streamed_answer_is_remembered_and_remembers(web: AdkServer, database: str) -> None:
    ben = web.person("ben")
    ben.say_streamed("b1", CLOSE)
    stored_at_last(database, "episodic", user_id="ben")
    assert ben.say_streamed("b2", WHY).endswith(REASON)


def test_nobody_is_answered_from_another_persons_sessions(web: AdkServer, database: str) -> None:
    web.person("carla").say("c1", CLOSE)
    stored_at_last(database, "episodic", user_id="carla")
    assert web.person("dora").say("d1", WHY) == "I don't know."


def test_an_agent_without_an_app_is_saved_by_the_servers_plugin(web: AdkServer, database: str) -> None:
    emil = web.person("emil", app="plain")
    emil.say("e1", CLOSE)
    stored_at_last(database, "episodic", user_id="emil", tenant="plain")
    assert emil.say("e2", WHY).endswith(REASON)


def test_an_app_with_the_plugin_under_a_server_with_the_plugin_is_saved_once(web: AdkServer, database: str) -> None:
    web.person("fred").say("f1", CLOSE)
    assert len(stored_at_last(database, "episodic", user_id="fred")) == 1
    assert rows(database, "SELECT revision, done_revision FROM twofold.inbox WHERE user_id = 'fred'") == [(1, 1)]
    told = "SELECT count(*) FROM twofold.audit WHERE session_id = 'f1' AND kind = 'episodic'"
    assert rows(database, told) == [(1,)]


def test_a_second_server_on_the_database_knows_what_the_first_was_told(
    web: AdkServer, api_server: AdkServer, database: str
) -> None:
    web.person("gina").say("g1", CLOSE)
    stored_at_last(database, "episodic", user_id="gina")
    assert api_server.person("gina").say("g2", WHY).endswith(REASON)


def test_the_memory_route_saves_a_session_and_tells_an_unknown_one(api_server: AdkServer, database: str) -> None:
    hugo = api_server.person("hugo")
    hugo.say("h1", CLOSE)
    stored_at_last(database, "episodic", user_id="hugo")
    saved = hugo.save("h1")
    assert (saved.status_code, saved.json()) == (HTTPStatus.OK, None)
    assert hugo.save("unknown").status_code == HTTPStatus.NOT_FOUND
    assert api_server.person("ida").save("h1").status_code == HTTPStatus.NOT_FOUND
    assert len(stored_at_last(database, "episodic", user_id="hugo")) == 1


def rows(database: str, query: str) -> list[tuple[object, ...]]:
    with psycopg.connect(database) as connection:
        return connection.execute(query).fetchall()

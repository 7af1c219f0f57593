"""`twofold migrate`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.cli.command import run, run_on_terminal
from tests.cli.conftest import Twofold
from tests.cli.seeds import ANNA, NAMED, Seeds
from tests.database import DatabaseServer


@pytest.fixture
def empty(database_server: DatabaseServer, environment: dict[str, str]) -> Iterator[dict[str, str]]:
    """Return an environment with an empty database."""
    with database_server.database() as url:
        yield {**environment, "TWOFOLD_DATABASE_URL": url}


def tables(url: str) -> int:
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname IN ('public', 'twofold')").fetchall()
    return int(rows[0][0])


def test_an_empty_database_is_prepared_once(empty: dict[str, str]) -> None:
    check = run(empty, "migrate", "--check")
    assert check.returncode == 3
    assert "Run `twofold migrate`" in check.stdout
    assert tables(empty["TWOFOLD_DATABASE_URL"]) == 0
    first = run(empty, "migrate")
    assert first.returncode == 0
    assert f"{NAMED.dims} numbers, by {NAMED.name}" in first.stdout
    assert "It is prepared" in first.stdout
    again = run(empty, "migrate", "--json")
    document = json.loads(again.stdout)
    assert (document["current"], document["changed"], document["dims"]) == (True, False, NAMED.dims)
    assert document["schema"] == document["schema_before"]
    assert run(empty, "migrate", "--check").returncode == 0


def test_what_is_not_prepared_is_told_by_every_command(empty: dict[str, str]) -> None:
    for command in (("show",), ("search", "x"), ("history",), ("export",), ("jobs", "list")):
        done = run(empty, *command)
        assert (done.returncode, done.stdout) == (1, "")
        assert "run `twofold migrate`" in done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert tables(empty["TWOFOLD_DATABASE_URL"]) == 0


def test_an_older_database_is_wanting_until_it_is_brought_up_to_date(twofold: Twofold, seeds: Seeds) -> None:
    with psycopg.connect(seeds.url, autocommit=True) as connection:
        connection.execute("UPDATE twofold.embedder SET schema_mark = 'own 0000'")
    check = twofold("migrate", "--check", "--json")
    assert check.exit_code == 3
    assert json.loads(check.stdout)["schema"] == "own 0000"
    done = twofold("migrate")
    assert done.exit_code == 0
    assert "It was brought up to date" in done.stdout


def test_another_embedder_is_refused_where_something_is_stored(
    twofold: Twofold, seeds: Seeds, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds.facts(ANNA, "one")
    monkeypatch.setenv("TWOFOLD_EMBEDDING_MODEL", "openai:text-embedding-3-small")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-mine")
    done = twofold("migrate")
    assert done.exit_code == 1
    assert "Set the embedder back" in str(done.exception)
    assert "sk-secret" not in done.output + str(done.exception)


def test_no_embedded_database_is_made_by_looking(environment: dict[str, str], tmp_path: Path) -> None:
    nothing = {**environment, "TWOFOLD_DATABASE_URL": "", "TWOFOLD_DATA_FOLDER": str(tmp_path / "data")}
    del nothing["TWOFOLD_DATABASE_URL"]
    assert run(nothing, "migrate", "--check").returncode == 3
    for command in (("show",), ("search", "x"), ("jobs", "list")):
        done = run(nothing, *command)
        assert done.returncode == 1
        assert "There is no database yet" in done.stderr
    assert run(nothing, "doctor").returncode == 0
    assert not (tmp_path / "data").exists()


def test_a_terminal_sees_that_it_is_at_work(empty: dict[str, str]) -> None:
    code, shown = run_on_terminal(empty, "migrate")
    assert code == 0
    assert "preparing the database" in shown

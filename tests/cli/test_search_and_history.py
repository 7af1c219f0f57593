"""`twofold search` and `twofold history`."""

from __future__ import annotations

import json

import psycopg

from tests.cli.command import run_on_terminal
from tests.cli.conftest import Twofold
from tests.cli.seeds import ANNA, Seeds, failed_close
from twofold.memory.keys import fact_key


def test_a_search_finds_what_an_agent_would_be_shown(twofold: Twofold, seeds: Seeds) -> None:
    seeds.remember(ANNA, "s1", *failed_close())
    done = twofold("search", "Which ledger do I use?")
    assert done.exit_code == 0
    kinds = [line.split("\t")[1] for line in done.stdout.splitlines()]
    assert sorted(kinds) == ["episodic", "semantic", "semantic"]
    document = json.loads(twofold("search", "ledger", "--json").stdout)
    assert "My ledger is US Primary." in [fact["text"] for fact in document["facts"]]
    assert len(document["episodes"]) == 1
    assert isinstance(document["facts"][0]["score"], float)


def test_a_search_that_finds_nothing_is_no_error(twofold: Twofold) -> None:
    done = twofold("search", "ledger")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "Nothing is remembered of that" in done.stderr


def test_to_look_does_not_prolong_a_life(twofold: Twofold, seeds: Seeds) -> None:
    seeds.facts(ANNA, "The ledger is US Primary.")
    with psycopg.connect(seeds.url, autocommit=True) as connection:
        connection.execute("UPDATE twofold.scope SET touched_on = '2026-01-01'")
        expiry = connection.execute("SELECT expires_at FROM store").fetchall()
        for command in (("search", "ledger"), ("show",), ("history",), ("export",), ("doctor",)):
            assert twofold(*command).exit_code == 0
        assert connection.execute("SELECT expires_at FROM store").fetchall() == expiry
        assert connection.execute("SELECT touched_on::text FROM twofold.scope").fetchall() == [("2026-01-01",)]


def test_history_tells_each_change_and_its_source(twofold: Twofold, seeds: Seeds) -> None:
    seeds.remember(ANNA, "s1")
    key = fact_key(ANNA, "s1", "My ledger is US Primary.")
    line = twofold("history", key[:8]).stdout.rstrip("\n").split("\t")
    assert line[1:] == ["ADD", key, "", "My ledger is US Primary.", "s1", "user said", "testing:echo"]
    (change,) = json.loads(twofold("history", "--json").stdout)["changes"]
    assert {name: change[name] for name in ("action", "key", "after", "session_id", "origin", "model")} == {
        "action": "ADD",
        "key": key,
        "after": "My ledger is US Primary.",
        "session_id": "s1",
        "origin": "user said",
        "model": "testing:echo",
    }


def test_history_of_what_was_forgotten_has_no_words(twofold: Twofold, seeds: Seeds) -> None:
    seeds.remember(ANNA, "s1")
    key = fact_key(ANNA, "s1", "My ledger is US Primary.")
    assert twofold("forget", "--key", key, "--yes").exit_code == 0
    done = twofold("history", key[:8])
    assert [line.split("\t")[1] for line in done.stdout.splitlines()] == ["ERASE", "ADD"]
    assert "US Primary" not in done.stdout


def test_on_a_terminal_history_says_because_of_what(environment: dict[str, str], seeds: Seeds) -> None:
    seeds.remember(ANNA, "s1")
    code, shown = run_on_terminal(environment, "history")
    assert code == 0
    assert "My ledger is US Primary." in shown
    assert "user said, session s1, by testing:echo" in shown


def test_several_memories_are_not_taken_for_one(twofold: Twofold, seeds: Seeds) -> None:
    seeds.facts(ANNA, "one", "two")
    with psycopg.connect(seeds.url, autocommit=True) as connection:
        connection.execute("UPDATE twofold.audit SET key = 'abcdef' || id")
    done = twofold("history", "abcdef")
    assert done.exit_code == 1
    assert "begins 2 keys" in str(done.exception)

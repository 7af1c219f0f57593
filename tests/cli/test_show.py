"""`twofold show`."""

from __future__ import annotations

import json

import psycopg
import pytest

from tests.cli.command import run, run_on_terminal
from tests.cli.conftest import Twofold
from tests.cli.seeds import ANNA, MARCH, Seeds, failed_close


def keys_of(shown: str) -> list[str]:
    """Return the first field of each line."""
    return [line.split("\t")[0] for line in shown.splitlines()]


def test_a_pipe_gets_a_line_a_memory_the_newest_first(twofold: Twofold, seeds: Seeds) -> None:
    seeds.facts(ANNA, "I prefer\ttables.\nAlways.", "The ledger is US Primary.")
    done = twofold("show")
    assert done.exit_code == 0
    fields = [line.split("\t") for line in done.stdout.splitlines()]
    assert [(kind, at, text) for _, kind, at, text in fields] == [
        ("semantic", "2026-03-31T18:00:00Z", "The ledger is US Primary."),
        ("semantic", "2026-03-31T17:00:00Z", "I prefer tables. Always."),
    ]


def test_json_has_the_fields_of_the_http_api(twofold: Twofold, seeds: Seeds) -> None:
    seeds.facts(ANNA, "The ledger is US Primary.")
    document = json.loads(twofold("show", "--json").stdout)
    assert document["more"] is False
    (memory,) = document["memories"]
    assert {name: memory[name] for name in ("kind", "text", "rev", "updated_at")} == {
        "kind": "semantic",
        "text": "The ledger is US Primary.",
        "rev": 1,
        "updated_at": "2026-03-31T17:00:00Z",
    }
    assert memory["sources"][0]["origin"] == "host"


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("--kind", "episodic"), 1),
        (("--kind", "semantic"), 2),
        (("--text", "us primary"), 1),
        (("--text", "100%"), 0),
        (("--since", "2026-04-01"), 0),
        (("--since", "2026-03-31T19:00:00+0200"), 3),
        (("--until", "2026-03-31T17:00"), 0),
        (("--until", "2026-03-31T17:00:01Z"), 3),
        (("--limit", "1"), 1),
    ],
)
def test_what_is_shown_can_be_narrowed(twofold: Twofold, seeds: Seeds, options: tuple[str, ...], found: int) -> None:
    seeds.remember(ANNA, "s1", *failed_close())
    done = twofold("show", *options)
    assert done.exit_code == 0
    assert len(done.stdout.splitlines()) == found
    assert ("There are more" in done.stderr) == ("--limit" in options)
    assert ("Nothing is remembered that fits" in done.stderr) == (not found)


def test_one_memory_is_shown_in_full_by_the_beginning_of_its_key(twofold: Twofold, seeds: Seeds) -> None:
    seeds.remember(ANNA, "s1", *failed_close())
    (key,) = keys_of(twofold("show", "--kind", "episodic").stdout)
    shown = twofold("show", "--key", key[:6]).stdout
    assert f"episodic {key}" in shown
    assert 'FAILURE\tclose_period\t{"period": "2026-03"}\t0.0\topen subledgers' in shown
    assert "2026-03-31T17:00:00Z\ts1\t" in shown
    assert json.loads(twofold("show", "--key", key, "--json").stdout)["content"]["runs"][0]["outcome"] == "failure"


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("nothing", "There is no memory with the key 'nothing'"),
        ("~bm90aGluZw", "There is no memory with the key '~bm90aGluZw'"),
        ("a", "There is no memory with the key 'a': give at least 6 characters of the key"),
    ],
)
@pytest.mark.parametrize(
    "command", [("show", "--key"), ("show", "--json", "--key"), ("forget", "--yes", "--key"), ("history",)]
)
def test_an_unknown_key_is_an_error_in_one_line(
    environment: dict[str, str], seeds: Seeds, command: tuple[str, ...], key: str, told: str
) -> None:
    seeds.facts(ANNA, "The ledger is US Primary.")
    done = run(environment, *command, key)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1] == f"twofold: {told}"


def test_what_is_gone_has_a_story_and_is_not_shown(twofold: Twofold, seeds: Seeds) -> None:
    seeds.facts(ANNA, "one", "two")
    (key, _) = keys_of(twofold("show").stdout)
    assert twofold("forget", "--key", key, "--yes").exit_code == 0
    assert twofold("show", "--key", key).exit_code == 1
    assert twofold("history", key).exit_code == 0


def test_what_was_remembered_cannot_move_the_cursor(twofold: Twofold, seeds: Seeds) -> None:
    """What stock code of LangGraph wrote was not cleaned before."""
    seeds.facts(ANNA, "The ledger is US Primary.")
    with psycopg.connect(seeds.url) as connection:
        words = "red \x1b[31m and up \x9b1A"
        connection.execute("UPDATE store SET value = jsonb_set(value, '{text}', to_jsonb(%s::text))", (words,))
    assert "red \ufffd[31m and up \ufffd1A" in twofold("show").stdout
    assert "\x9b" not in twofold("show", "--json").stdout


def test_a_terminal_gets_a_table_with_the_beginning_of_what_is_long(environment: dict[str, str], seeds: Seeds) -> None:
    seeds.remember(ANNA, "s1", *failed_close(), at=MARCH)
    code, shown = run_on_terminal(environment, "show")
    assert code == 0
    for word in ("key", "kind", "at", "text", "episodic", "2026-03-31 17:00", "Close March."):
        assert word in shown
    assert "→ FAILURE" not in shown

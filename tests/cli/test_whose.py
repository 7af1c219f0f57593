"""Whose memory a command is about, where that is not said."""

from __future__ import annotations

import json

import psycopg
import pytest

from tests.cli.command import run_on_terminal
from tests.cli.conftest import Twofold
from tests.cli.seeds import ANNA, BEN, Seeds
from twofold.memory.scope import Scope

OTHER = Scope(tenant_id="zeta", user_id="ben")
LONG = Scope(tenant_id="acme", user_id="a" * 100)


def test_the_only_person_need_not_be_named_and_is_told(twofold: Twofold, seeds: Seeds) -> None:
    seeds.facts(ANNA, "The ledger is US Primary.")
    done = twofold("show")
    assert done.exit_code == 0
    assert "Of tenant 'acme', user 'anna.meier@acme.example':" in done.stderr
    assert "US Primary" in done.stdout


@pytest.mark.parametrize(
    "command", [("show",), ("search", "ledger"), ("history",), ("forget", "--everything", "--yes"), ("export",)]
)
def test_among_several_nobody_is_chosen_and_they_are_listed(
    twofold: Twofold, seeds: Seeds, command: tuple[str, ...]
) -> None:
    seeds.facts(ANNA, "one", "two")
    seeds.facts(BEN, "three")
    done = twofold(*command)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--tenant" in done.stderr
    lines = [line.split("\t") for line in done.stderr.splitlines() if "\t" in line]
    assert [line[:3] for line in sorted(lines)] == [["acme", "anna.meier@acme.example", "2"], ["acme", "ben", "1"]]
    assert seeds.texts(ANNA) == ["one", "two"]


def test_one_option_is_enough_where_it_tells_who(twofold: Twofold, seeds: Seeds) -> None:
    seeds.facts(ANNA, "of Anna")
    seeds.facts(BEN, "of Ben")
    seeds.facts(OTHER, "of the other")
    assert "of Anna" in twofold("show", "--user", ANNA.user_id).stdout
    assert "of the other" in twofold("show", "--tenant", "zeta").stdout
    assert twofold("show", "--tenant", "acme").exit_code == 2
    assert twofold("show", "--user", "ben").exit_code == 2
    assert "of Ben" in twofold("show", "--user", "ben", "--tenant", "acme").stdout


def test_where_nobody_fits_the_people_known_are_listed(twofold: Twofold, seeds: Seeds) -> None:
    seeds.facts(ANNA, "of Anna")
    done = twofold("show", "--tenant", "nobody")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "Nobody fits" in done.stderr
    assert ANNA.user_id in done.stderr


@pytest.mark.parametrize("command", [("show",), ("search", "x"), ("history",), ("export",)])
def test_where_who_is_named_is_not_known_the_people_known_are_listed(
    twofold: Twofold, seeds: Seeds, command: tuple[str, ...]
) -> None:
    seeds.facts(ANNA, "of Anna")
    done = twofold(*command, "--tenant", "acme", "--user", "ana")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "Nobody fits" in done.stderr
    assert ANNA.user_id in done.stderr


def test_who_was_forgotten_keeps_a_story(twofold: Twofold, seeds: Seeds) -> None:
    seeds.facts(ANNA, "of Anna")
    seeds.remember(BEN, "s1")
    ben = ("--tenant", "acme", "--user", "ben")
    assert twofold("forget", "--everything", "--yes", *ben).exit_code == 0
    assert twofold("history", *ben).exit_code == 0
    assert twofold("forget", "--everything", "--yes", "--tenant", "acme", "--user", "ana").exit_code == 0


def test_of_nobody_nothing_is_remembered_which_is_no_error(twofold: Twofold) -> None:
    done = twofold("show", "--json")
    assert (done.exit_code, json.loads(done.stdout)) == (0, {"memories": [], "more": False})
    assert "Nothing is known of anyone yet" in done.stderr


def test_who_was_forgotten_is_not_known(twofold: Twofold, seeds: Seeds) -> None:
    seeds.facts(ANNA, "of Anna")
    seeds.facts(BEN, "of Ben")
    assert twofold("forget", "--everything", "--yes", "--user", "ben").exit_code == 0
    assert "of Anna" in twofold("show").stdout


def test_who_said_something_but_is_not_remembered_yet_is_known(twofold: Twofold, seeds: Seeds) -> None:
    seeds.accept(ANNA, "s1")
    done = twofold("show")
    assert done.exit_code == 0
    assert ANNA.user_id in done.stderr


def test_of_whom_only_a_hash_is_left_is_shown_but_not_taken(twofold: Twofold, seeds: Seeds) -> None:
    """An id too long to be its own label is kept with sessions only."""
    seeds.facts(LONG, "of somebody")
    done = twofold("show")
    assert done.exit_code == 2
    assert "h-" in done.stderr
    assert "of somebody" in twofold("show", "--tenant", LONG.tenant_id, "--user", LONG.user_id).stdout
    seeds.accept(LONG, "s1")
    assert "of somebody" in twofold("show").stdout


def test_people_stand_in_a_table_on_a_terminal(environment: dict[str, str], seeds: Seeds) -> None:
    seeds.facts(ANNA, "of Anna")
    seeds.facts(BEN, "of Ben")
    code, shown = run_on_terminal(environment, "show")
    assert code == 2
    assert "last used" in shown
    assert "anna.meier@acme.example" in shown


def test_what_has_expired_makes_nobody_known(twofold: Twofold, seeds: Seeds) -> None:
    seeds.facts(ANNA, "of Anna")
    seeds.facts(BEN, "of Ben")
    with psycopg.connect(seeds.url) as connection:
        connection.execute("UPDATE store SET expires_at = now() WHERE prefix LIKE '%.ben'")
    assert "of Anna" in twofold("show").stdout

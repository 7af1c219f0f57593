"""`twofold jobs`."""

from __future__ import annotations

import json

import pytest

from tests.cli.command import run_on_terminal
from tests.cli.conftest import Twofold
from tests.cli.seeds import ANNA, BEN, CAUSE, Seeds
from twofold.memory.scope import Scope

OTHER = Scope(tenant_id="zeta", user_id="zoe")


def sessions(listed: str) -> list[tuple[str, ...]]:
    """Return state, user and session of each line."""
    lines = [line.split("\t") for line in listed.splitlines()]
    return [(line[0], line[2], line[3]) for line in lines]


@pytest.fixture
def three(seeds: Seeds) -> Seeds:
    """One session waits, two were given up; a fourth is saved."""
    seeds.accept(BEN, "waits")
    seeds.give_up(ANNA, "lost")
    seeds.give_up(OTHER, "lost")
    seeds.remember(ANNA, "saved")
    return seeds


def test_what_is_not_saved_is_listed_with_its_cause(twofold: Twofold, three: Seeds) -> None:
    done = twofold("jobs", "list")
    assert done.exit_code == 0
    assert sorted(sessions(done.stdout)) == [
        ("failed", ANNA.user_id, "lost"),
        ("failed", "zoe", "lost"),
        ("waiting", "ben", "waits"),
    ]
    assert done.stdout.count(CAUSE) == 2


def test_how_much_there_is_and_what_failed_last_is_said_beside_the_list(twofold: Twofold, three: Seeds) -> None:
    told = twofold("jobs", "list").stderr
    assert "1 session to be saved, the oldest since 20" in told
    assert "2 sessions given up: see `twofold jobs retry --all`" in told
    assert f", of session 'lost': {CAUSE}" in told
    assert "1 session given up" in twofold("jobs", "list", "--tenant", "zeta").stderr
    assert "given up" not in twofold("jobs", "list", "--user", "ben").stderr


def test_the_list_can_be_narrowed(twofold: Twofold, three: Seeds) -> None:
    assert {state for state, *_ in sessions(twofold("jobs", "list", "--failed").stdout)} == {"failed"}
    assert sessions(twofold("jobs", "list", "--tenant", "zeta").stdout) == [("failed", "zoe", "lost")]
    assert len(sessions(twofold("jobs", "list", "--limit", "1").stdout)) == 1


def test_json_has_every_field_of_a_job(twofold: Twofold, three: Seeds) -> None:
    (job,) = json.loads(twofold("jobs", "list", "--failed", "--tenant", "zeta", "--json").stdout)["jobs"]
    assert job.pop("accepted_at").startswith("20")
    assert job.pop("failed_at").startswith("20")
    assert job == {
        "state": "failed",
        "tenant_id": "zeta",
        "user_id": "zoe",
        "session_id": "lost",
        "revision": 1,
        "attempts": 0,
        "due_at": None,
        "cause": CAUSE,
    }


def test_nothing_to_save_is_no_error(twofold: Twofold) -> None:
    done = twofold("jobs", "list")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "Every accepted session is saved" in done.stderr
    assert json.loads(twofold("jobs", "list", "--json").stdout) == {"jobs": []}


@pytest.mark.parametrize(
    ("options", "told", "left"),
    [
        (("--all",), 3, (3, 0)),
        (("--all", "--tenant", "zeta"), 1, (2, 1)),
        (("--all", "--tenant", "acme"), 2, (2, 1)),
        (("--session", "lost", "--user", "zoe"), 1, (2, 1)),
        (("--session", "waits"), 1, (1, 2)),
    ],
)
def test_what_was_given_up_is_tried_anew(
    twofold: Twofold, three: Seeds, options: tuple[str, ...], told: int, left: tuple[int, int]
) -> None:
    done = twofold("jobs", "retry", *options, "--json")
    assert json.loads(done.stdout) == {"sessions": told}
    assert three.pending() == left


@pytest.mark.parametrize("options", [(), ("--all", "--session", "lost")])
def test_what_to_retry_is_said_once(twofold: Twofold, options: tuple[str, ...]) -> None:
    assert twofold("jobs", "retry", *options).exit_code == 2


def test_a_session_of_several_people_is_nobodys_until_one_is_named(twofold: Twofold, three: Seeds) -> None:
    for command in (("retry", "--session", "lost"), ("drop", "lost")):
        done = twofold("jobs", *command)
        assert done.exit_code == 2
        assert "zoe" in done.stderr
        assert ANNA.user_id in done.stderr
    assert three.pending() == (1, 2)


def test_a_dropped_session_counts_no_more_and_is_not_retried(twofold: Twofold, three: Seeds) -> None:
    done = twofold("jobs", "drop", "lost", "--user", "zoe")
    assert done.exit_code == 0
    assert CAUSE in done.stdout
    assert three.pending() == (1, 1)
    assert json.loads(twofold("jobs", "retry", "--all", "--json").stdout) == {"sessions": 2}
    assert "lost" in twofold("export", "--user", "zoe", "--tenant", "zeta").stdout


def test_a_dropped_session_that_goes_on_is_saved(twofold: Twofold, three: Seeds) -> None:
    assert twofold("jobs", "drop", "lost", "--user", "zoe").exit_code == 0
    three.remember(OTHER, "lost", at=three.later)
    assert three.texts(OTHER) == ["My ledger is US Primary."]


@pytest.mark.parametrize("session", ["waits", "saved", "unknown"])
def test_only_what_was_given_up_can_be_dropped(twofold: Twofold, three: Seeds, session: str) -> None:
    done = twofold("jobs", "drop", session)
    assert done.exit_code == 1
    assert "has no save that was given up" in str(done.exception)
    assert three.pending() == (1, 2)


def test_an_id_with_any_character_is_listed_and_taken_back(twofold: Twofold, seeds: Seeds) -> None:
    for name in ("a\tb\nc", "~tilde", "ünï/%"):
        seeds.give_up(ANNA, name)
    for job in json.loads(twofold("jobs", "list", "--json").stdout)["jobs"]:
        assert twofold("jobs", "drop", job["session_id"]).exit_code == 0
    assert seeds.pending() == (0, 0)


def test_a_terminal_gets_what_happened_in_words(environment: dict[str, str], three: Seeds) -> None:
    code, shown = run_on_terminal(environment, "jobs", "list")
    assert code == 0
    assert "what happened" in shown
    lines = [line.strip() for line in shown.splitlines()]
    assert lines.count(CAUSE) == 2
    assert "zeta / zoe" in lines

"""`twofold forget`."""

from __future__ import annotations

import json

import pytest

from tests.cli.command import run, run_on_terminal
from tests.cli.conftest import Twofold
from tests.cli.seeds import ANNA, BEN, Seeds
from tests.database import tables_with
from twofold.memory.keys import fact_key

LEDGER = "My ledger is US Primary."


def test_one_memory_is_forgotten(twofold: Twofold, seeds: Seeds) -> None:
    seeds.remember(ANNA, "s1")
    seeds.facts(ANNA, "I prefer tables.")
    done = twofold("forget", "--key", fact_key(ANNA, "s1", LEDGER)[:8], "--yes")
    assert done.exit_code == 0
    assert done.stdout.startswith("Forgotten: 1 memory, 0 sessions, the words of 1 change")
    assert seeds.texts(ANNA) == ["I prefer tables."]


def test_a_session_is_forgotten_with_what_rests_on_it(twofold: Twofold, seeds: Seeds) -> None:
    seeds.remember(ANNA, "s1")
    seeds.facts(ANNA, "I prefer tables.")
    done = twofold("forget", "--session", "s1", "--yes", "--json")
    assert json.loads(done.stdout) == {"memories": 1, "sessions": 1, "audit_entries": 1, "jobs": 1}
    assert seeds.texts(ANNA) == ["I prefer tables."]


def test_a_person_is_forgotten_wholly_and_nobody_else(twofold: Twofold, seeds: Seeds) -> None:
    seeds.remember(ANNA, "s1")
    seeds.remember(BEN, "s1")
    assert twofold("forget", "--everything", "--yes", "--tenant", "acme", "--user", ANNA.user_id).exit_code == 0
    assert seeds.texts(ANNA) == []
    assert seeds.texts(BEN) == [LEDGER]
    assert not tables_with(seeds.url, "anna.meier")


def test_nothing_to_forget_is_no_error(twofold: Twofold, seeds: Seeds) -> None:
    seeds.facts(ANNA, "I prefer tables.")
    done = twofold("forget", "--session", "unknown", "--yes")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "There was nothing of it" in done.stderr


@pytest.mark.parametrize(
    "options",
    [(), ("--key", "k", "--everything"), ("--key", "k", "--session", "s"), ("--session", "s", "--everything")],
)
def test_what_to_forget_is_said_once(twofold: Twofold, options: tuple[str, ...]) -> None:
    done = twofold("forget", "--yes", *options)
    assert done.exit_code == 2
    assert "one of --key, --session and --everything" in " ".join(done.stderr.split())


@pytest.mark.parametrize("session", ["", "~"])
def test_a_session_without_an_id_is_none_and_what_a_host_added_stays(
    twofold: Twofold, seeds: Seeds, session: str
) -> None:
    seeds.facts(ANNA, "I prefer tables.")
    done = twofold("forget", "--session", session, "--yes")
    assert done.exit_code == 2
    assert "--session: is empty" in " ".join(done.stderr.split())
    assert seeds.texts(ANNA) == ["I prefer tables."]


def test_where_nobody_can_be_asked_nothing_is_forgotten(environment: dict[str, str], seeds: Seeds) -> None:
    seeds.facts(ANNA, "I prefer tables.")
    done = run(environment, "forget", "--everything")
    assert done.returncode == 2
    assert "--yes" in done.stderr
    assert seeds.texts(ANNA) == ["I prefer tables."]


@pytest.mark.parametrize(("answer", "code", "left"), [("n\n", 1, ["I prefer tables."]), ("y\n", 0, [])])
def test_at_a_terminal_it_is_asked_before(
    environment: dict[str, str], seeds: Seeds, answer: str, code: int, left: list[str]
) -> None:
    seeds.facts(ANNA, "I prefer tables.")
    ended, shown = run_on_terminal(environment, "forget", "--everything", typed=answer)
    assert ended == code
    assert "Forget everything of tenant 'acme'" in shown
    assert "1 memory" in shown
    assert seeds.texts(ANNA) == left


def test_ctrl_c_at_the_question_forgets_nothing(environment: dict[str, str], seeds: Seeds) -> None:
    seeds.facts(ANNA, "I prefer tables.")
    ended, shown = run_on_terminal(environment, "forget", "--everything", interrupted_at="[y/N]")
    assert ended == 130
    assert "Traceback" not in shown
    assert seeds.texts(ANNA) == ["I prefer tables."]

"""`twofold forget`."""

from __future__ import annotations

import json

import pytest

from tests.cli.command import run, run_on_terminal
from tests.cli.conftest import Twofold
from tests.cli.seeds import ANNA, BEN, Seeds, failed_close
from tests.database import tables_with
from twofold.memory.keys import fact_key
from twofold.memory.scope import Scope

LEDGER = "My ledger is US Primary."


def test_one_memory_is_forgotten(twofold: Twofold, seeds: Seeds) -> None:
    seeds.remember(ANNA, "s1")
    seeds.facts(ANNA, "I prefer tables.")
    done = twofold("forget", "--key", fact_key(ANNA, "s1", LEDGER)[:8], "--yes")
    assert done.exit_code == 0
    told, proof = done.stdout.splitlines()
    assert told.startswith("Forgotten: 1 memory, 0 sessions, the words of 1 change")
    assert proof.startswith("0 rows remain in 9 tables; apart from ")
    assert seeds.texts(ANNA) == ["I prefer tables."]


def test_a_session_is_forgotten_with_what_rests_on_it(twofold: Twofold, seeds: Seeds) -> None:
    seeds.remember(ANNA, "s1")
    seeds.facts(ANNA, "I prefer tables.")
    done = twofold("forget", "--session", "s1", "--yes", "--json")
    told = json.loads(done.stdout)
    assert {name: count for name, count in told.items() if isinstance(count, int) and count} == {
        "memories": 1,
        "vectors": 1,
        "sessions": 1,
        "entries": 2,
        "audit_entries": 1,
        "jobs": 1,
        "ledger": 1,
        "tombstones": 1,
    }
    assert set(told["remaining"].values()) == {0}
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
    [
        (),
        ("--key", "k", "--everything"),
        ("--key", "k", "--session", "s"),
        ("--session", "s", "--everything"),
        ("--all-users", "--everything"),
    ],
)
def test_what_to_forget_is_said_once(twofold: Twofold, options: tuple[str, ...]) -> None:
    done = twofold("forget", "--yes", *options)
    assert done.exit_code == 2
    assert "say what: one of --key" in " ".join(done.stderr.split())


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


@pytest.mark.parametrize("options", [(), ("--user", "ben"), ("--tenant", "acme", "--user", "ben")])
def test_everybody_is_of_a_tenant_that_is_named(twofold: Twofold, options: tuple[str, ...]) -> None:
    done = twofold("forget", "--all-users", "--yes", *options)
    assert done.exit_code == 2
    assert "--all-users: give --tenant, and no --user" in " ".join(done.stderr.split())


def test_a_tenant_is_forgotten_with_everybody_in_it_and_no_other(twofold: Twofold, seeds: Seeds) -> None:
    other = Scope(tenant_id="other", user_id=ANNA.user_id)
    for scope in (ANNA, BEN, other):
        seeds.remember(scope, "s1")
    done = twofold("forget", "--tenant", "acme", "--all-users", "--yes")
    told, proof = done.stdout.splitlines()
    assert (done.exit_code, proof) == (0, "0 rows remain in 9 tables; apart from 1 tombstone")
    assert told.startswith(
        "Forgotten: 2 users with 2 memories, 2 sessions, the words of 2 changes, 2 saves that waited"
    )
    assert told.endswith(", 2 vectors, 4 entries, 2 ledger rows")
    assert (seeds.texts(ANNA), seeds.texts(BEN), seeds.texts(other)) == ([], [], [LEDGER])


@pytest.mark.parametrize(("typed", "code", "left"), [("acme\n", 0, []), ("y\n", 1, ["I prefer tables."])])
def test_at_a_terminal_a_tenant_is_forgotten_by_its_name(
    environment: dict[str, str], seeds: Seeds, typed: str, code: int, left: list[str]
) -> None:
    seeds.facts(ANNA, "I prefer tables.")
    ended, shown = run_on_terminal(environment, "forget", "--tenant", "acme", "--all-users", typed=typed)
    assert ended == code
    assert "Forget everybody of tenant 'acme' (1 memory, 0 sessions)?" in shown
    assert seeds.texts(ANNA) == left


def test_words_that_other_memories_rest_on_are_said_to_stay(twofold: Twofold, seeds: Seeds) -> None:
    seeds.remember(ANNA, "s1", *failed_close())
    assert "stay" not in twofold("forget", "--key", fact_key(ANNA, "s1", LEDGER), "--yes").stdout
    done = twofold("forget", "--key", fact_key(ANNA, "s1", "Close March."), "--yes")
    assert "1 entry stays: other memories rest on it" in done.stdout


def test_what_is_left_can_be_counted_before_and_after(twofold: Twofold, seeds: Seeds) -> None:
    seeds.remember(ANNA, "s1")
    person = ("--tenant", "acme", "--user", ANNA.user_id)
    of_person = (("--everything",), ("--session", "s1"), ("--key", fact_key(ANNA, "s1", LEDGER)))
    asked = [("--all-users", "--tenant", "acme"), *((*what, *person) for what in of_person)]
    for what in asked:
        before = twofold("forget", *what, "--check")
        assert before.exit_code == 1
        assert "public.store\t1" in before.stdout
    assert seeds.texts(ANNA) == [LEDGER]
    assert twofold("forget", "--everything", *person, "--yes").exit_code == 0
    for what in asked[:-1]:  # of an erased person no key is known any more
        after = twofold("forget", *what, "--check")
        assert (after.exit_code, len(after.stdout.splitlines())) == (0, 1)
    told = json.loads(twofold("forget", *asked[0], "--check", "--json").stdout)
    assert set(told["remaining"].values()) == {0}
    assert (told["tombstones"], told["running"]) == (1, 0)

"""`twofold backfill`."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.cli.command import Running, run, run_on_terminal, running
from tests.cli.conftest import Twofold
from tests.cli.seeds import Seeds
from tests.cli.stored import Talked, content, month_ends, source
from tests.database import DatabaseServer
from tests.services import as_url
from tests.stored_sessions import JANUARY, KINDS, close, talk
from twofold.memory.errors import TwofoldError
from twofold.memory.scope import Scope

ANNA = Scope(tenant_id="month_end", user_id="anna")
LEDGER = "The user works with the US Primary ledger."
LEDGER_SAID = [*talk("t1", "My ledger is US Primary."), *close("t2", "2026-01", "open subledgers")]
TALK = Talked(session_id="s1", events=LEDGER_SAID)


def summary(twofold: Twofold, *arguments: str, code: int = 0) -> dict[str, Any]:
    done = twofold("backfill", *arguments, "--json")
    assert done.exit_code == code, done.output
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def counted(document: dict[str, Any]) -> dict[str, int]:
    """Return what is not zero."""
    return {name: number for name, number in document.items() if type(number) is int and number}


@pytest.mark.parametrize("kind", KINDS)
def test_what_adk_kept_is_remembered_with_its_dates(
    kind: str, twofold: Twofold, tmp_path: Path, database_url: str
) -> None:
    address = source(kind, tmp_path, as_url(database_url), [TALK])
    document = summary(twofold, address)
    assert counted(document) == {"sessions": 1, "events": 6, "accepted": 1, "saved": 1}
    assert document["finished"] is True
    shown = json.loads(twofold("show", "--tenant", "month_end", "--user", "anna", "--json").stdout)["memories"]
    assert {memory["kind"]: memory["updated_at"][:19] for memory in shown} == {
        "semantic": "2026-01-05T09:30:00",
        "episodic": "2026-01-05T09:30:03",
    }
    assert "FAILURE: open subledgers" in "".join(memory["text"] for memory in shown)
    assert {source["session_id"] for memory in shown for source in memory["sources"]} == {"s1"}


def test_each_app_is_a_tenant_or_all_are_one(twofold: Twofold, seeds: Seeds, tmp_path: Path) -> None:
    talked = [
        Talked(session_id="s1", app=app, events=talk(app, "My ledger is US Primary.")) for app in ("travel", "closing")
    ]
    address = source("sqlite", tmp_path, "", talked)
    assert summary(twofold, address)["accepted"] == 2
    for app in ("travel", "closing"):
        assert seeds.texts(Scope(tenant_id=app, user_id="anna")) == [LEDGER]
    assert summary(twofold, address, "--tenant", "acme", "--app", "travel")["accepted"] == 1
    assert seeds.texts(Scope(tenant_id="acme", user_id="anna")) == [LEDGER]
    assert twofold("backfill", address, "--tenant", "").exit_code == 2


def test_a_part_of_it_can_be_chosen(twofold: Twofold, tmp_path: Path) -> None:
    whose = [("month_end", "anna"), ("month_end", "anna"), ("travel", "ben")]
    talked = [
        Talked(
            session_id=f"s{day}", app=app, user=user, events=talk(f"t{day}", "Hello.", JANUARY + timedelta(days=day))
        )
        for day, (app, user) in enumerate(whose)
    ]
    address = source("sqlite", tmp_path, "", talked)
    for options, sessions in {
        (): 3,
        ("--app", "travel"): 1,
        ("--user", "anna"): 2,
        ("--since", "2026-01-06"): 2,
        ("--since", "2026-01-06T09:30:01", "--user", "anna"): 1,
        ("--since", "2026-01-06T09:30:02+0000", "--user", "anna"): 0,
    }.items():
        assert summary(twofold, address, *options, "--dry-run")["sessions"] == sessions, options


def test_a_dry_run_counts_and_stores_nothing(twofold: Twofold, tmp_path: Path, prepared_url: str) -> None:
    address = source("sqlite", tmp_path, "", month_ends(2, 3))
    before = content(prepared_url)
    (app,) = summary(twofold, address, "--dry-run", "--tenant", "acme")["apps"]
    assert app == {"app": "month_end", "tenant": "acme", "users": 2, "sessions": 6, "events": 36, "unreadable": 0}
    assert content(prepared_url) == before
    told = twofold("backfill", address, "--dry-run")
    assert told.stdout == "month_end\tmonth_end\t2\t6\t36\t0\n"
    assert "6 sessions with 36 events would be handed over" in told.stderr


def test_saves_can_be_left_to_workers_elsewhere_or_to_a_later_run(
    twofold: Twofold, seeds: Seeds, tmp_path: Path
) -> None:
    address = source("sqlite", tmp_path, "", [TALK])
    assert counted(summary(twofold, address, "--no-work")) == {"sessions": 1, "events": 6, "accepted": 1}
    assert seeds.pending() == (1, 0)
    assert counted(summary(twofold, address)) == {"sessions": 1, "events": 6, "unchanged": 1, "saved": 1}
    assert LEDGER in seeds.texts(ANNA)
    assert counted(summary(twofold, address)) == {"sessions": 1, "events": 6, "unchanged": 1}


def test_no_more_sessions_a_second_are_accepted_than_allowed(twofold: Twofold, tmp_path: Path) -> None:
    address = source("sqlite", tmp_path, "", month_ends(1, 5))
    began = time.monotonic()
    summary(twofold, address, "--no-work", "--rate", "8")
    assert time.monotonic() - began >= 4 / 8


def test_what_cannot_be_read_is_named_and_the_rest_is_remembered(
    twofold: Twofold, seeds: Seeds, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    address = source("sqlite", tmp_path, "", [TALK])
    with closing(sqlite3.connect(tmp_path / "sessions.db")) as connection, connection:
        connection.execute("UPDATE events SET event_data = '{oops' WHERE id = 'a-t1'")
    assert counted(summary(twofold, address, code=3))["unreadable"] == 1
    assert "Event a-t1 of session s1" in caplog.text
    assert LEDGER in seeds.texts(ANNA)
    told = twofold("backfill", address)
    assert told.exit_code == 3
    assert told.stdout == "1 session with 6 events, 1 event unreadable: 0 accepted, 1 unchanged\n"
    assert twofold("backfill", address, "--dry-run").exit_code == 3


def test_secrets_are_taken_out_as_the_settings_say(
    twofold: Twofold, tmp_path: Path, prepared_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWOFOLD_REDACTION", '{"iban": "mask"}')
    said = talk("t1", "My password is hunter2 and my IBAN is DE89 3704 0044 0532 0130 00.")
    summary(twofold, source("sqlite", tmp_path, "", [Talked(session_id="s1", events=said)]))
    kept = json.dumps(content(prepared_url))
    assert "hunter2" not in kept
    assert "0532" not in kept


@pytest.mark.parametrize("address", ["nowhere.db", "mysql://u:s3cr3t@host/db", "postgresql://u:s3cr3t@127.0.0.1:1/d"])
def test_a_source_that_cannot_be_read_is_an_error(twofold: Twofold, address: str) -> None:
    for options in ([], ["--dry-run"]):
        error = twofold("backfill", address, *options).exception
        assert isinstance(error, TwofoldError)
        assert "s3cr3t" not in str(error)


def test_a_terminal_shows_how_far_it_is_and_ctrl_c_what_remains(
    environment: dict[str, str], twofold: Twofold, seeds: Seeds, tmp_path: Path
) -> None:
    address = source("sqlite", tmp_path, "", month_ends(2, 4))
    code, shown = run_on_terminal(environment, "backfill", address, "--rate", "0.1", interrupted_at="1/8")
    assert code == 130
    assert "accepted" in shown
    assert "Interrupted with 7 sessions to be read, " in shown
    assert "Traceback" not in shown
    assert counted(summary(twofold, address))["accepted"] == 7
    assert seeds.pending() == (0, 0)


@pytest.mark.long
def test_being_told_to_stop_is_like_ctrl_c(environment: dict[str, str], seeds: Seeds, tmp_path: Path) -> None:
    address = source("sqlite", tmp_path, "", month_ends(2, 4))
    with running(environment, "backfill", address, "--rate", "0.1") as backfill:
        until(lambda: rows(seeds.url, "inbox") == 1, backfill)
        assert backfill.stop(signal.SIGTERM) == 130
        assert "Interrupted with 7 sessions to be read, " in backfill.said
        assert "Traceback" not in backfill.said


@pytest.fixture
def undisturbed(database_server: DatabaseServer, cli_template: str) -> Iterator[str]:
    """Lend a second database."""
    with database_server.database(template=cli_template) as url:
        yield url


def test_killed_at_three_random_points_it_ends_like_an_undisturbed_run(
    environment: dict[str, str], prepared_url: str, undisturbed: str, tmp_path: Path
) -> None:
    """Twice while sessions are accepted, once in the middle of a save; where exactly is drawn, from a fixed seed."""
    users, sessions = 4, 6
    address = source("sqlite", tmp_path, "", month_ends(users, sessions))
    draw = random.Random(20260105)  # noqa: S311 - no secret
    for accepted in (draw.randint(3, 8), draw.randint(10, 16)):
        with running(environment, "backfill", address, "--rate", "10") as backfill:
            until(lambda least=accepted: rows(prepared_url, "inbox") >= least, backfill)  # type: ignore[misc]
            assert backfill.stop(signal.SIGKILL) == -signal.SIGKILL
        assert rows(prepared_url, "inbox") < users * sessions
        missed(prepared_url)
    saved, person = draw.randint(12, 18), f"user-{draw.randrange(users)}"
    with psycopg.connect(prepared_url) as connection, running(environment, "backfill", address) as backfill:
        connection.execute(HELD_UP, [person])
        until(lambda: rows(prepared_url, "ledger") >= saved and rows(prepared_url, WAITS_FOR_A_LOCK) > 0, backfill)
        assert backfill.stop(signal.SIGKILL) == -signal.SIGKILL
    assert rows(prepared_url, "ledger") < users * sessions
    missed(prepared_url)
    assert run(environment, "backfill", address).returncode == 0
    assert Seeds(prepared_url).pending() == (0, 0)

    assert run({**environment, "TWOFOLD_DATABASE_URL": undisturbed}, "backfill", address).returncode == 0
    kept = content(prepared_url)
    assert kept == content(undisturbed)
    assert len(kept["inbox"]) == users * sessions
    assert len(kept["store"]) > users * sessions


# A save waits for this, and to accept a session does not.
HELD_UP = "SELECT 1 FROM twofold.scope WHERE user_label = %s FOR NO KEY UPDATE"
WAITS_FOR_A_LOCK = "procrastinate_jobs, pg_stat_activity WHERE status = 'doing' AND wait_event_type = 'Lock'"


def rows(url: str, table: str) -> int:
    with psycopg.connect(url) as connection:
        query = f"SELECT count(*) FROM twofold.{table}"  # noqa: S608 - words of this test
        (count,) = connection.execute(query.encode()).fetchone() or (0,)
    return int(count)


def missed(url: str) -> None:
    """Let the time pass in which a process that was killed is missed."""
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE twofold.procrastinate_workers SET last_heartbeat = now() - interval '1 hour'")


def until(holds: Callable[[], bool], backfill: Running, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, backfill.said
        time.sleep(0.005)

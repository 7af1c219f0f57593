"""`twofold worker`, as processes of its own."""

from __future__ import annotations

import signal
import time

import psycopg
import pytest

from tests.cli.command import run, run_on_terminal, running
from tests.cli.seeds import ANNA, BEN, Seeds
from twofold.memory.scope import Scope

LEDGER = "The user works with the US Primary ledger."

# A save locks the row so that it waits for this, and to accept a session does not.
HELD_UP = "SELECT 1 FROM twofold.scope FOR NO KEY UPDATE"


def persons(count: int) -> list[Scope]:
    """Return so many people."""
    return [Scope(tenant_id="acme", user_id=f"user-{number}") for number in range(count)]


def until(holds: object, seconds: float = 30.0) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + seconds
    while not holds():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGHUP, 0), (signal.SIGINT, 130)])
def test_a_worker_saves_until_it_is_told_to_stop(
    environment: dict[str, str], seeds: Seeds, number: int, code: int
) -> None:
    with running(environment, "worker") as worker:
        worker.wait_for("Working on")
        seeds.accept(ANNA, "s1")
        assert "(attempt 1," in worker.wait_for("Session s1 is saved")
        assert worker.stop(number) == code
        assert "Stopped; sessions that wait: 0, given up: 0" in worker.said
        assert "Traceback" not in worker.said
    assert seeds.texts(ANNA) == [LEDGER]


def test_until_empty_it_ends_by_itself(environment: dict[str, str], seeds: Seeds) -> None:
    for person in persons(5):
        seeds.accept(person, "s1")
    done = run(environment, "worker", "--until-empty", "--concurrency", "3")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.count("Session s1 is saved") == 5
    assert seeds.pending() == (0, 0)


def test_with_nothing_to_do_it_ends_at_once(environment: dict[str, str]) -> None:
    done = run(environment, "worker", "--until-empty", timeout=40)
    assert done.returncode == 0
    assert "Stopped" in done.stderr


def test_two_workers_share_the_work_and_save_nothing_twice(environment: dict[str, str], seeds: Seeds) -> None:
    for person in persons(8):
        seeds.accept(person, "s1")
    with running(environment, "worker") as one, running(environment, "worker") as other:
        until(lambda: seeds.pending() == (0, 0))
        assert one.stop() == 0
        assert other.stop() == 0
        assert (one.said + other.said).count("Session s1 is saved") == 8
    assert all(seeds.texts(person) == [LEDGER] for person in persons(8))


def test_a_save_under_way_is_finished_before_the_end(environment: dict[str, str], seeds: Seeds) -> None:
    """Somebody holds the person's row when the worker is told to stop, and lets go in time."""
    seeds.remember(ANNA, "s0")
    with psycopg.connect(seeds.url) as connection, running(environment, "worker") as worker:
        connection.execute(HELD_UP)
        worker.wait_for("Working on")
        seeds.accept(ANNA, "s1", "I prefer reports as a table.")
        until(lambda: _doing(seeds.url) == 1)
        stopping = time.monotonic()
        worker.tell(signal.SIGTERM)
        time.sleep(2)
        connection.rollback()
        assert worker.ended() == 0
        assert time.monotonic() - stopping < 10
    assert seeds.texts(ANNA) == ["My ledger is US Primary.", "The user prefers reports as a table."]


def test_a_save_that_does_not_end_in_time_is_given_back(environment: dict[str, str], seeds: Seeds) -> None:
    seeds.remember(ANNA, "s0")
    with psycopg.connect(seeds.url) as connection, running(environment, "worker", "--grace", "0.5") as worker:
        connection.execute(HELD_UP)
        worker.wait_for("Working on")
        seeds.accept(ANNA, "s1", "I prefer reports as a table.")
        until(lambda: _doing(seeds.url) == 1)
        assert worker.stop() == 0
        connection.rollback()
    assert seeds.pending() == (1, 0)
    assert run(environment, "worker", "--until-empty").returncode == 0
    assert seeds.texts(ANNA) == ["My ledger is US Primary.", "The user prefers reports as a table."]


def test_on_a_terminal_it_shows_what_waits(environment: dict[str, str], seeds: Seeds) -> None:
    seeds.accept(BEN, "s1")
    code, shown = run_on_terminal(environment, "worker", "--until-empty")
    assert code == 0
    assert "sessions that wait: 1, given up: 0" in shown


def test_a_worker_outlasts_its_database(environment: dict[str, str], seeds: Seeds) -> None:
    """All its connections are cut; it goes on when it gets new ones."""
    with running(environment, "worker") as worker:
        worker.wait_for("Working on")
        with psycopg.connect(seeds.url, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        seeds.accept(ANNA, "s1")
        worker.wait_for("Session s1 is saved")
        assert worker.stop() == 0


def _doing(url: str) -> int:
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT count(*) FROM twofold.procrastinate_jobs WHERE status = 'doing'").fetchall()
    return int(rows[0][0])


def test_a_hundred_saves_at_once_are_the_most(environment: dict[str, str]) -> None:
    assert run(environment, "worker", "--until-empty", "--concurrency", "100").returncode == 0
    assert run(environment, "worker", "--until-empty", "--concurrency", "101").returncode == 2

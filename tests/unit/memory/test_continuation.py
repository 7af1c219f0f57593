"""A session handed over in part does not shorten its episode."""

from __future__ import annotations

from tests.unit.memory.entries import called, returned, session, user
from twofold.memory.continuation import continued
from twofold.memory.splitting import split
from twofold.memory.steps import Episode
from twofold.memory.transcript import Entry, Transcript


def run(name: str) -> tuple[Entry, ...]:
    """Return a request and the call of a tool named like it."""
    return user(f"Do {name}", name), called(name, name, name), returned(name, name, name)


WHOLE = session(*run("one"), *run("two"), *run("three"))
ONE, TWO, THREE = WHOLE[:3], WHOLE[3:6], WHOLE[6:]


def episode(*entries: Entry) -> Episode:
    found = split(Transcript(session_id="s", entries=entries)).episode
    assert found is not None
    return found


def tools(told: Episode) -> list[str]:
    return [step.tool for run in told.runs for step in run.steps]


def given(*entries: Entry) -> frozenset[str]:
    return frozenset(entry.event_id for entry in entries)


def test_runs_that_were_not_handed_over_are_told_in_their_place() -> None:
    told = continued(episode(*TWO), episode(*ONE, *THREE), given(*TWO))
    assert told == episode(*WHOLE)


def test_a_run_handed_over_without_its_end_stays_as_it_was() -> None:
    told = continued(episode(*ONE, *TWO[:2]), episode(*ONE, *TWO), given(*ONE, *TWO[:2]))
    assert told == episode(*ONE, *TWO)


def test_a_run_that_was_handed_over_and_is_not_there_any_more_was_rewound() -> None:
    told = continued(episode(*ONE), episode(*ONE, *TWO), given(*ONE, *TWO))
    assert tools(told) == ["one"]


def test_a_run_that_went_on_is_told_as_it_is_now() -> None:
    assert continued(episode(*ONE, *TWO), episode(*ONE, *TWO[:2]), given(*ONE, *TWO)) == episode(*ONE, *TWO)

"""A fact is what the changes of it that still count say."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from twofold.memory.history import AuditEntry
from twofold.memory.memories import Memory, Source
from twofold.memory.retraction import episode_retraction, retraction
from twofold.memory.rewinds import Undone

NOON = datetime(2026, 4, 1, 12, tzinfo=UTC)
UNDONE = Undone(event_ids=frozenset({"u1", "u2"}), marker_id="r", at=NOON + timedelta(hours=1))


def line(action: str, after: str, *events: str, session: str = "s") -> AuditEntry:
    return AuditEntry(
        at=NOON,
        kind="semantic",
        key="k",
        action=action,
        before="",
        after=after,
        session_id=session,
        event_ids=events,
        origin="user said",
        model="m",
    )


def source(*events: str, session: str = "s") -> Source:
    return Source(session_id=session, event_ids=events, at=NOON, origin="user said")


def fact(text: str, *sources: Source) -> Memory:
    return Memory(
        key="k", kind="semantic", text=text, content={}, sources=sources, rev=1, created_at=NOON, updated_at=NOON
    )


A, B = "Reports in EUR.", "Reports in USD."

CASES = {
    "said only there": (fact(A, source("u1")), [line("ADD", A, "u1")], (None, ())),
    "said there and before": (fact(A, source("e1", "u1")), [line("ADD", A, "e1", "u1")], (A, (source("e1"),))),
    "said there and in another session": (
        fact(A, source("u1"), source("u1", session="t")),
        [line("ADD", A, "u1"), line("NOOP", A, "u1", session="t")],
        (A, (source("u1", session="t"),)),
    ),
    "corrected there": (
        fact(B, source("e1", "u1")),
        [line("ADD", A, "e1"), line("UPDATE", B, "u1")],
        (A, (source("e1"),)),
    ),
    "corrected there twice": (
        fact("Reports in GBP.", source("e1", "u1", "u2")),
        [line("ADD", A, "e1"), line("UPDATE", B, "u1"), line("UPDATE", "Reports in GBP.", "u2")],
        (A, (source("e1"),)),
    ),
    "corrected there and then by hand": (
        fact("By hand.", source("e1", "u1"), source("h", session="")),
        [line("ADD", A, "e1"), line("UPDATE", B, "u1"), line("UPDATE", "By hand.", "h", session="")],
        ("By hand.", (source("e1"), source("h", session=""))),
    ),
    "corrected there, said again since": (
        fact(B, source("e1", "u1", "e3")),
        [line("ADD", A, "e1"), line("UPDATE", B, "u1"), line("NOOP", B, "e3")],
        (B, (source("e1", "e3"),)),
    ),
    "deleted there": (None, [line("ADD", A, "e1"), line("DELETE", "", "u1")], (A, (source("e1"),))),
    "deleted before, said again there": (
        fact(A, source("u1")),
        [line("ADD", A, "e1"), line("DELETE", "", "e2"), line("ADD", A, "u1")],
        (None, ()),
    ),
    "its history is too old to be there": (fact(A, source("e1", "u1")), [], (A, (source("e1"),))),
    "retracted, and the rewind itself undone": (
        None,
        [line("ADD", A, "e1"), line("DELETE", "", "u2")],
        (A, (source("e1"),)),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_fact_rests_on_what_was_not_undone(case: str) -> None:
    memory, history, (text, sources) = CASES[case]
    gone = retraction("k", memory, history, "s", UNDONE)
    assert gone is not None
    assert (gone.key, gone.text, gone.sources if gone.text else ()) == ("k", text, sources)
    assert (gone.because.event_ids, gone.because.at, gone.because.session_id) == (("r",), UNDONE.at, "s")


UNTOUCHED = {
    "it rests on other events": (fact(A, source("e1")), [line("ADD", A, "e1")]),
    "events of that name are another session's": (fact(A, source("u1", session="t")), [line("ADD", A, "u1")]),
    "retracted before": (None, [line("ADD", A, "u1"), line("DELETE", "", "r")]),
    "retracted before and said anew": (
        fact(A, source("e9")),
        [line("ADD", A, "u1"), line("DELETE", "", "r"), line("ADD", A, "e9")],
    ),
    "expired since it was corrected there": (None, [line("ADD", A, "e1"), line("UPDATE", B, "u1")]),
    "erased": (None, [line("ADD", "", "e1"), line("DELETE", "", "u1"), line("ERASE", "", session="")]),
    "deleted there, but in another session as well": (
        None,
        [line("ADD", A, "e1"), line("DELETE", "", "u1"), line("DELETE", "", "x", session="t")],
    ),
}


@pytest.mark.parametrize("case", UNTOUCHED)
def test_what_does_not_rest_on_the_undone_stays_as_it_is(case: str) -> None:
    memory, history = UNTOUCHED[case]
    assert retraction("k", memory, history, "s", UNDONE) is None


def test_an_episode_goes_where_its_steps_were_undone_and_stays_where_others_were() -> None:
    gone = episode_retraction(fact("told", source("e1", "u1")), "s", UNDONE)
    assert gone is not None
    assert (gone.kind, gone.text) == ("episodic", None)
    assert episode_retraction(fact("told", source("e1")), "s", UNDONE) is None

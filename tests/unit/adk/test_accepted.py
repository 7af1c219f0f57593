"""Which events were handed over lately."""

from __future__ import annotations

from google.adk.events.event import Event

from twofold.adk.accepted import MOST_SESSIONS, SECONDS, AcceptedEvents
from twofold.memory.scope import Scope

ANNA = Scope(tenant_id="acme", user_id="anna")
BEN = Scope(tenant_id="acme", user_id="ben")
FIRST, SECOND = Event(id="e1", author="user"), Event(id="e2", author="user")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_of_a_grown_session_only_the_new_events_are_read() -> None:
    accepted = AcceptedEvents(Clock())
    accepted.note(ANNA, "s1", [FIRST])
    assert accepted.unseen(ANNA, "s1", [FIRST, SECOND]) == [SECOND]


def test_an_unfinished_chunk_does_not_hide_the_whole_event_of_its_id() -> None:
    accepted = AcceptedEvents(Clock())
    accepted.note(ANNA, "s1", [Event(id="e1", author="agent", partial=True)])
    assert accepted.unseen(ANNA, "s1", [FIRST]) == [FIRST]


def test_sessions_and_people_are_kept_apart() -> None:
    accepted = AcceptedEvents(Clock())
    accepted.note(ANNA, "s1", [FIRST])
    assert accepted.unseen(ANNA, "s2", [FIRST]) == [FIRST]
    assert accepted.unseen(BEN, "s1", [FIRST]) == [FIRST]


def test_after_an_hour_and_after_forgetting_the_session_is_read_whole() -> None:
    clock = Clock()
    accepted = AcceptedEvents(clock)
    accepted.note(ANNA, "s1", [FIRST])
    clock.now = SECONDS
    assert accepted.unseen(ANNA, "s1", [FIRST]) == [FIRST]
    accepted.note(ANNA, "s1", [FIRST])
    accepted.forget(ANNA)
    assert accepted.unseen(ANNA, "s1", [FIRST]) == [FIRST]


def test_a_session_with_an_event_that_has_no_id_is_read_whole() -> None:
    accepted = AcceptedEvents(Clock())
    accepted.note(ANNA, "s1", [FIRST])
    nameless = Event(author="user")
    nameless.id = ""
    assert accepted.unseen(ANNA, "s1", [FIRST, nameless]) == [FIRST, nameless]


def test_it_holds_a_bounded_number_of_sessions() -> None:
    accepted = AcceptedEvents(Clock())
    for number in range(MOST_SESSIONS + 1):
        accepted.note(ANNA, str(number), [FIRST])
    assert accepted.unseen(ANNA, "0", [FIRST]) == [FIRST]
    assert accepted.unseen(ANNA, str(MOST_SESSIONS), [FIRST]) == []

"""What the user undid."""

from __future__ import annotations

import pytest

from tests.unit.memory.entries import agent, rewound, session, texts, user
from twofold.memory.rewinds import after_rewinds, undone, with_starts
from twofold.memory.transcript import Entry

A, B, C = ((user(name, name.lower()), agent(name + "!", name.lower())) for name in "ABC")


@pytest.mark.parametrize(
    ("entries", "left"),
    [
        ((*A, *B), ["A", "A!", "B", "B!"]),
        ((*A, *B, rewound("b")), ["A", "A!"]),
        ((*A, *B, *C, rewound("b")), ["A", "A!"]),
        ((*A, *B, rewound("b"), *C), ["A", "A!", "C", "C!"]),
        ((*A, *B, rewound("a"), *C), ["C", "C!"]),
        ((*A, *B, rewound("b"), *C, rewound("c")), ["A", "A!"]),
        ((*A, *B, rewound("b", "r1"), *C, rewound("a", "r2")), []),
        ((*A, *B, rewound("unknown")), ["A", "A!", "B", "B!"]),
        ((*A, rewound("b"), *B), ["A", "A!", "B", "B!"]),
        # the second undoes the first with everything from b on, so that a is back
        ((*A, *B, rewound("a", "r1"), rewound("b", "r2")), ["A", "A!"]),
        # undoing an undo: the marker r1 is itself undone, and with it what it undid comes back
        ((*A, *B, rewound("b", "r1"), *C, rewound("r1", "r2")), ["A", "A!", "B", "B!"]),
    ],
)
def test_a_marker_undoes_from_the_start_of_its_invocation_up_to_itself(
    entries: tuple[Entry, ...], left: list[str]
) -> None:
    assert texts(after_rewinds(session(*entries))) == left


def test_no_marker_is_left() -> None:
    assert after_rewinds(session(rewound("x"))) == ()


@pytest.mark.parametrize(
    ("entries", "gone", "marker"),
    [
        ((*A, *B, rewound("b", "r1")), {"e2", "e3"}, "e4"),
        ((*A, *B, rewound("b", "r1"), *C, rewound("c", "r2")), {"e2", "e3", "e5", "e6"}, "e7"),
        # an undone marker is undone itself, and what it undid is not any more
        ((*A, *B, rewound("b", "r1"), *C, rewound("r1", "r2")), {"e4", "e5", "e6"}, "e7"),
    ],
)
def test_what_was_undone_is_told_with_the_last_rewind(entries: tuple[Entry, ...], gone: set[str], marker: str) -> None:
    found = undone(session(*entries))
    assert found is not None
    assert (set(found.event_ids), found.marker_id) == (gone, marker)


@pytest.mark.parametrize("entries", [(), (*A, *B), (*A, rewound("unknown"))])
def test_without_a_rewind_nothing_was_undone(entries: tuple[Entry, ...]) -> None:
    assert undone(session(*entries)) is None


def test_an_event_of_which_a_part_still_counts_is_not_undone() -> None:
    one, two = user("one", "a", event_id="e"), user("two", "b", event_id="e", part=1)
    assert undone(session(one, two, rewound("b", "r"))) is None


def test_a_rewind_undoes_what_came_since_its_invocation_began_where_that_was_erased() -> None:
    whole = tuple(with_starts(session(*A, *B, *C, rewound("b", "r"))))
    without_b = tuple(entry for entry in whole if entry.invocation_id != "b")
    assert texts(after_rewinds(whole)) == texts(after_rewinds(without_b)) == ["A", "A!"]
    found = undone(without_b)
    assert found is not None
    assert found.event_ids == {"e4", "e5"}


def test_a_rewind_to_what_was_never_there_undoes_nothing() -> None:
    entries = tuple(with_starts(session(*A, *B, rewound("unknown", "r"))))
    assert texts(after_rewinds(entries)) == ["A", "A!", "B", "B!"]

"""What the user undid."""

from __future__ import annotations

import pytest

from tests.unit.memory.entries import agent, rewound, session, texts, user
from twofold.memory.rewinds import after_rewinds
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

"""Which kills there are, and on which lane: every point for a process and for Postgres, in an order of chance."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from tests.soak.phases import ACCEPTING, Point, Round, Victim

PROCESS_LANES = 8
POSTGRES_LANES = 8
GROWN = 0.4


@dataclass(frozen=True, slots=True)
class LanePlan:
    """The rounds of one lane. `apart`: one process accepts and another saves. `own`: on a server of its own."""

    name: str
    rounds: Sequence[Round]
    apart: bool
    own: bool


def planned(each: int, seed: int) -> list[LanePlan]:
    """Return lanes that together kill a process and Postgres `each` times at every point."""
    chance = random.Random(seed)  # noqa: S311 - to be had again

    def rounds(victim: Victim, times: dict[Point, int]) -> list[Round]:
        made = [
            Round(point, victim, grown=chance.random() < GROWN) for point, often in times.items() for _ in range(often)
        ]
        chance.shuffle(made)
        return made

    worker = {point: 0 if point in ACCEPTING else each // 2 for point in Point}
    process = {point: each - worker[point] for point in Point}
    half = PROCESS_LANES // 2
    return [
        *_lanes("p", rounds(Victim.PROCESS, process), half, apart=[False], own=False),
        *_lanes("w", rounds(Victim.WORKER, worker), half, apart=[True], own=False),
        *_lanes(
            "d", rounds(Victim.POSTGRES, dict.fromkeys(Point, each)), POSTGRES_LANES, apart=[False, True], own=True
        ),
    ]


def short() -> list[LanePlan]:
    """Return a kill for each kind of work and for each victim, all at the same time."""
    process = [
        (Point.ACCEPT_OPEN, Victim.PROCESS, False),
        (Point.FACTS_DURING, Victim.PROCESS, True),
        (Point.PERSIST_ROWS, Victim.WORKER, False),
        (Point.PERSISTED, Victim.PROCESS, True),
        (Point.DONE, Victim.WORKER, False),
        (Point.EPISODE_KEPT, Victim.PROCESS, False),
    ]
    lanes = [
        LanePlan(f"p{number}", [Round(point, victim, grown=grown)], apart=victim is Victim.WORKER, own=False)
        for number, (point, victim, grown) in enumerate(process)
    ]
    postgres = [Round(Point.PERSIST_WRITTEN, Victim.POSTGRES, grown=False)]
    return [*lanes, LanePlan("d0", postgres, apart=False, own=True)]


def _lanes(kind: str, rounds: Sequence[Round], many: int, *, apart: Sequence[bool], own: bool) -> list[LanePlan]:
    return [
        LanePlan(f"{kind}{number}", rounds[number::many], apart[number % len(apart)], own) for number in range(many)
    ]

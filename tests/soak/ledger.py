"""What the harness saw: kills by phase and victim, how soon jobs were taken up again, and what went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from tests.soak.model import Model
from tests.soak.phases import EPISODE, FACTS, Point, Victim, kept_at

TAKEN_UP_WITHIN = 30.0


@dataclass(slots=True)
class Kill:
    """One kill, where it hit whose save, and when what was killed was gone or, for Postgres, there again."""

    at: float
    lane: str
    point: Point
    session: str
    over: float = float("inf")


@dataclass(slots=True)
class Ledger:
    """All of one run."""

    kills: Counter[tuple[Point, Victim]] = field(default_factory=Counter)
    hits: list[Kill] = field(default_factory=list)
    taken_up: list[tuple[float, Point, Victim]] = field(default_factory=list)
    sessions: int = 0
    grown: int = 0
    asked_again: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def killed(self) -> int:
        """How many kills there were."""
        return self.kills.total()

    def slowest(self, *victims: Victim) -> float:
        """Return the longest it took until a job was taken up again, in seconds."""
        return max((seconds for seconds, _, victim in self.taken_up if victim in victims), default=0.0)

    def last(self, lane: str) -> Kill:
        """Return the last kill of a lane."""
        return next(kill for kill in reversed(self.hits) if kill.lane == lane)

    def check_payments(self, model: Model, lane: str, session: str) -> None:
        """Note each input that was paid again though no kill came between request and keep."""
        hits = [kill for kill in self.hits if kill.lane == lane]
        for tool in (FACTS, EPISODE):
            for times in model.of(session, tool):
                self.asked_again += len(times) - 1
                for first, again in pairwise(times):
                    if not any(
                        first < kill.over and kill.at < again and not _kept(kill, session, tool) for kill in hits
                    ):
                        self.problems.append(f"{session}: {tool} was paid again without need")

    def told(self) -> str:
        """Return the table."""
        lines = [f"{'killed when':<36}{''.join(f'{victim:>10}' for victim in Victim)}{'all':>8}"]
        for point in Point:
            numbers = [self.kills[point, victim] for victim in Victim]
            lines.append(f"{point:<36}{''.join(f'{number:>10}' for number in numbers)}{sum(numbers):>8}")
        totals = [sum(self.kills[point, victim] for point in Point) for victim in Victim]
        lines.append(f"{'all':<36}{''.join(f'{number:>10}' for number in totals)}{sum(totals):>8}")
        return "\n".join(lines)

    def missed(self, least: int, points: Iterable[Point]) -> list[str]:
        """Return the phases that were hit less often than they should, of a process and of Postgres."""
        short = []
        for point in points:
            postgres = self.kills[point, Victim.POSTGRES]
            process = self.kills[point, Victim.PROCESS] + self.kills[point, Victim.WORKER]
            if min(postgres, process) < least:
                short.append(f"{point}: {process} kills of a process, {postgres} of Postgres")
        return short


def _kept(kill: Kill, session: str, tool: str) -> bool:
    """Whether this kill found the reply for this session kept, so that it excuses no second request."""
    return kill.session == session and tool in kept_at(kill.point)

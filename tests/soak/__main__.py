"""`python -m tests.soak --kills 100 --seed 1`: ends with 1 if anything was lost, doubled or paid twice."""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import time
from functools import partial

from tests.soak.kills import killed
from tests.soak.ledger import Ledger
from tests.soak.model import Model
from tests.soak.nursery import Nursery
from tests.soak.phases import Point, Victim
from tests.soak.plan import planned
from tests.soak.server import Server
from tests.soak.writers import Wrote, behind_a_poison, beside_the_queue, sessions_of, through_the_queue

LEAST = 5
MANY = 50
FEW = 5


def main() -> int:
    """Kill, look and tell."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--kills", type=int, default=100, help="at least so many, and each point five times")
    given.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10_000))
    chosen = given.parse_args()
    each = max(LEAST, -(-chosen.kills // (2 * len(Point))))
    began = time.monotonic()
    tell(f"Seed {chosen.seed}: {2 * each * len(Point)} kills, {each} of a process and {each} of Postgres at each point")
    ledger = asyncio.run(killed(planned(each, chosen.seed), chosen.seed, tell))
    ledger.problems += ledger.missed(each, Point)
    tell(f"\n{ledger.told()}\n")
    tell(_summary(ledger, time.monotonic() - began))
    _tell_problems(ledger.problems)
    written = asyncio.run(_written())
    _tell_problems(written)
    return 1 if ledger.problems or written else 0


def _tell_problems(problems: list[str]) -> None:
    for problem in problems:
        tell(f"PROBLEM {problem}")


async def _written() -> list[str]:
    """Have many write for one user at once, and say how it was."""
    problems: list[str] = []
    server = Server()
    await server.start()
    try:
        with Model() as model:
            model.seconds = 0.05
            async with Nursery() as nursery:
                for name, write in (
                    (
                        f"{MANY} sessions of each of two users through 4 workers",
                        partial(_queued, server, nursery, model),
                    ),
                    (f"{MANY} writers of one user beside the queue", partial(_beside, server, MANY, 1)),
                    (f"{FEW} sessions, each written 10 times at once", partial(_beside, server, FEW, 10)),
                    ("A save that fails before 10 others of its user", partial(_poisoned, server, nursery, model)),
                ):
                    done: Wrote = await write()
                    tell(f"{name}: {done.told}")
                    problems += done.problems
    finally:
        await server.stop()
    return problems


async def _queued(server: Server, nursery: Nursery, model: Model) -> Wrote:
    people = [sessions_of(user, MANY) for user in ("anna", "ben")]
    return await through_the_queue(server.create("queued"), nursery, model, people, workers=4)


async def _beside(server: Server, sessions: int, times: int) -> Wrote:
    return await beside_the_queue(server.create(f"beside_{times}"), sessions_of("anna", sessions), times=times)


async def _poisoned(server: Server, nursery: Nursery, model: Model) -> Wrote:
    return await behind_a_poison(server.create("poisoned"), nursery, model, sessions_of("anna", 11))


def _summary(ledger: Ledger, seconds: float) -> str:
    found = "PROBLEMS FOUND" if ledger.problems else "nothing lost, nothing doubled, no kept reply paid again"
    return (
        f"{ledger.killed} kills, {ledger.sessions} sessions accepted ({ledger.grown} of them grew), in {seconds:.0f} s:"
        f" {found}; jobs taken up again at the latest {ledger.slowest(Victim.PROCESS, Victim.WORKER):.1f} s after their"
        f" process was killed, {ledger.slowest(Victim.POSTGRES):.1f} s after Postgres was back;"
        f" {ledger.asked_again} replies were lost before they could be kept and asked for again"
    )


def tell(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)  # noqa: T201 - a command


if __name__ == "__main__":
    sys.exit(main())

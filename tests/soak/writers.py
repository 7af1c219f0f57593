"""Many writers of one user at once: through the queue by several processes, and graph runs beside the queue."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from tests.soak import verdict
from tests.soak.model import Model, Span
from tests.soak.nursery import PATIENCE, Nursery, now
from tests.soak.phases import FACTS
from tests.soak.sessions import Session, as_json
from twofold.app import MemoryApp
from twofold.memory.errors import Conflict
from twofold.testing import memory_app

SAME = "Reports go to the controller as a table."
PATIENT = 4


@dataclass(frozen=True, slots=True)
class Wrote:
    """What came of it: how long it took, how often a writer had to begin anew, and what is wrong."""

    seconds: float
    conflicts: int
    problems: Sequence[str]

    @property
    def told(self) -> str:
        """How it was, in a line."""
        found = "PROBLEMS FOUND" if self.problems else "nothing lost, nothing doubled"
        return f"{found}; {self.seconds:.1f} s, {self.conflicts} attempts in vain"


def sessions_of(user: str, many: int) -> list[Session]:
    """Return sessions that say the same, or what differs in an identifier only, each beside a fact of its own."""
    said = [SAME, "Company {} closes on day 5.", "Ledger {} is closed by hand."]
    names = [f"S-{user}-{number}" for number in range(many)]
    return [
        Session(user=user, name=name, facts=(said[number % 3].format(1000 + 10 * number), f"Session {name} went well."))
        for number, name in enumerate(names)
    ]


async def beside_the_queue(url: str, sessions: Sequence[Session], *, times: int = 1) -> Wrote:
    """Run the graph over all of these at once, each `times` times, without the queue and its lock."""
    began, conflicts = now(), 0

    async def write(app: MemoryApp, session: Session) -> None:
        nonlocal conflicts
        order = as_json(session, session.parts)
        who = {"tenant_id": session.scope.tenant_id, "user_id": session.user}
        given: Any = {"scope": who, "session_id": session.name, "entries": order["entries"]}
        while True:
            try:
                await app.write.ainvoke(given)
            except Conflict:
                conflicts += 1
            else:
                return

    async with AsyncExitStack() as stack:
        apps = [await stack.enter_async_context(memory_app(url, pool_size=PATIENT)) for _ in range(2)]
        await asyncio.gather(*(write(apps[place % 2], session) for place, session in enumerate([*sessions] * times)))
    return Wrote(now() - began, conflicts, verdict.user_problems(url, sessions, sources=True))


async def through_the_queue(
    url: str, nursery: Nursery, model: Model, people: Sequence[Sequence[Session]], *, workers: int
) -> Wrote:
    """Have all sessions of these people accepted at once, and saved by so many processes."""
    began = now()
    model.spans.clear()
    every = [session for sessions in people for session in sessions]
    children = [await nursery.child(url, model.base_url, works=True, heard=lambda _: None) for _ in range(workers)]
    for child in children:
        await child.until("ready")
    for place, session in enumerate(every):
        await children[place % workers].link.say(do="accept", **as_json(session, session.parts))
    for place, session in enumerate(every):
        await children[place % workers].until("accepted", session=session.name)
    await _drained(url)
    for child in children:
        await child.kill()
    problems = [problem for sessions in people for problem in verdict.user_problems(url, sessions, sources=False)]
    return Wrote(now() - began, 0, [*problems, *_out_of_turn(model.spans, people)])


async def behind_a_poison(url: str, nursery: Nursery, model: Model, sessions: Sequence[Session]) -> Wrote:
    """Let the first session fail whenever it is tried, and the others of its user follow."""
    began = now()
    poison = sessions[0]
    model.spans.clear()
    model.refuse(poison.name, refuse=True)
    child = await nursery.child(url, model.base_url, works=True, heard=lambda _: None)
    await child.until("ready")
    for session in sessions:
        await child.link.say(do="accept", **as_json(session, session.parts))
        await child.until("accepted", session=session.name)
    await _drained(url, but=poison.name)
    refused = [span for span in model.spans if span.refused and span.tool == FACTS]
    last = max(span.ended for span in model.spans if not span.refused)
    held_up = [] if refused and refused[0].began < last else ["the others did not follow a save that fails"]
    model.refuse(poison.name, refuse=False)
    await _drained(url)
    await child.kill()
    return Wrote(now() - began, len(refused), [*held_up, *verdict.user_problems(url, sessions, sources=False)])


MANY = 40
"""Saves of several people at once, of which some overlap where nobody waits for anybody else."""


def _out_of_turn(spans: Sequence[Span], people: Sequence[Sequence[Session]]) -> list[str]:
    """Return where two saves of one person overlap, and whether those of two people never do."""
    of = {session.name: session.user for sessions in people for session in sessions}
    asked = [span for span in spans if span.tool == FACTS]
    both = [(one, two) for one, two in combinations(asked, 2) if one.began < two.ended and two.began < one.ended]
    problems = [f"{one.session} and {two.session} overlap" for one, two in both if of[one.session] == of[two.session]]
    # Of a few short saves, none need overlap another person's: of many, some do.
    if len(asked) >= MANY and not any(of[one.session] != of[two.session] for one, two in both):
        problems.append("people waited for each other")
    return problems


async def _drained(url: str, *, but: str = "") -> None:
    async with asyncio.timeout(PATIENCE):
        while await asyncio.to_thread(verdict.waiting, url, but=but):  # noqa: ASYNC110 - it is in the database
            await asyncio.sleep(0.05)

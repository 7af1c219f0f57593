"""A lane: one database, kill after kill on it, and after each a look at everything that was accepted."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any

import psycopg

from tests.soak import verdict
from tests.soak.ledger import TAKEN_UP_WITHIN, Kill, Ledger
from tests.soak.model import Model
from tests.soak.nursery import PATIENCE, Child, ChildGone, Nursery, noted, now
from tests.soak.phases import ACCEPTING, AT_THE_MODEL, WITHOUT_JOB, Point, Round, Victim
from tests.soak.server import Server
from tests.soak.sessions import Session, as_json
from twofold.memory.errors import TwofoldError

Tell = Callable[[str], None]


@dataclass(slots=True)
class Lane:
    """Plays rounds on databases of one server. `apart`: one process accepts, another saves."""

    name: str
    server: Server
    nursery: Nursery
    model: Model
    ledger: Ledger
    random: random.Random
    tell: Tell
    apart: bool = False
    _numbers: Any = field(default_factory=lambda: count(1))
    _fetched: list[tuple[float, str]] = field(default_factory=list)
    _stored: list[Session] = field(default_factory=list)
    _url: str = ""
    _host: Child | None = None
    _worker: Child | None = None

    async def play(self, rounds: list[Round]) -> None:
        """Play these rounds, one after the other."""
        self._url = self.server.create(f"{self.name}_0")
        for each in rounds:
            try:
                await self._play(each)
            except (ChildGone, TwofoldError, OSError, psycopg.Error) as error:  # a time-out is an OSError too
                self.ledger.problems.append(f"{self.name}, {each}: {type(error).__name__} {error}")
                return
            before = len(self.ledger.problems)
            await asyncio.to_thread(self._look)
            for problem in self.ledger.problems[before:]:
                self.tell(f"PROBLEM on {self.name} or beside it: {problem}")
        for child in {id(child): child for child in (self._host, self._worker) if child}.values():
            await child.kill()

    async def _play(self, each: Round) -> None:
        if each.point is Point.START:
            await self._during_start(each)
        elif each.point is Point.IDLE:
            await self._while_idle(each)
        elif each.point is Point.RESCUE:
            await self._during_rescue(each)
        else:
            victim, parts = await self._begun(each)
            await self._hit(each, victim, parts)
            await self._over(each, victim, parts)

    async def _begun(self, each: Round) -> tuple[Session, int]:
        """Return a session for the kill, and how many of its parts there are then; others are saved beside it."""
        await self._ready()
        victim = self._session(parts=2 if each.grown else 1)
        if each.grown:
            await self._accept(victim, 1)
            await self._drained()
            self.ledger.grown += 1
        for _ in range(self.random.randrange(3)):
            await self._accept(self._session(parts=1, beside=victim), 1)
        return victim, victim.parts

    async def _hit(self, each: Round, victim: Session, parts: int) -> None:
        """Kill when the save of the victim has come to the point."""
        child = await (self._hosting() if each.point in ACCEPTING else self._working())
        stopped = asyncio.Event()
        if each.point in AT_THE_MODEL:
            loop = asyncio.get_running_loop()
            self.model.hold(AT_THE_MODEL[each.point], victim.name, partial(loop.call_soon_threadsafe, stopped.set))
        else:
            await child.link.say(do="arm", point=each.point, session=victim.name)
        if each.point is Point.FAILED:
            self.model.refuse(victim.name, refuse=True)
        await self._hand_over(victim, parts)
        if each.point in AT_THE_MODEL:
            await asyncio.wait_for(stopped.wait(), PATIENCE)
        else:
            await child.until("at", point=each.point, session=victim.name)
        await self._kill(each, child, victim.name)
        self.model.refuse(victim.name, refuse=False)
        if each.point in AT_THE_MODEL:
            self.model.release(AT_THE_MODEL[each.point], victim.name)

    async def _kill(self, each: Round, child: Child, session: str) -> None:
        victim = each.victim
        kill = Kill(now(), self.name, each.point, session)
        self.ledger.hits.append(kill)
        if victim is Victim.POSTGRES:
            await self.server.kill()
            if not child.gone:
                with suppress(ConnectionError):
                    await child.link.say(do="go")
            await self.server.start()
        else:
            await child.kill()
        kill.over = now()
        self.ledger.kills[each.point, victim] += 1
        self.tell(f"{self.ledger.killed:4} {self.name}: {victim} killed, {each.point}")

    async def _over(self, each: Round, victim: Session, parts: int) -> None:
        """Wait until everything is stored; what was not told to be accepted is handed over again."""
        kill = self.ledger.last(self.name)
        await self._ready()
        await self._drained()
        if each.point not in WITHOUT_JOB:
            self._took(each, noted(self._fetched, victim.name, kill.at, kill.over))
        if each.point in ACCEPTING:
            await asyncio.to_thread(self._whole_or_not_at_all, victim, parts)
            await self._accept(victim, parts)
            await self._drained()

    def _took(self, each: Round, seconds: float | None) -> None:
        """Note how soon the job was taken up again. An attempt may outlive the restart of Postgres, and needs none."""
        if seconds is not None:
            self.ledger.taken_up.append((seconds, each.point, each.victim))
        if (seconds is None and each.victim is not Victim.POSTGRES) or (seconds or 0) > TAKEN_UP_WITHIN:
            self.ledger.problems.append(f"{self.name}: taken up again after {seconds} s, {each}")

    def _whole_or_not_at_all(self, victim: Session, parts: int) -> None:
        """See that a session whose accept did not return is in or out, not half."""
        was = parts - 1
        if was == 0 and verdict.found(self._url, victim).nothing:
            return
        halves = [verdict.problems(self._url, victim, accepted) for accepted in (was, parts) if accepted]
        if all(halves):
            self.ledger.problems += [f"half accepted: {problem}" for problem in halves[-1]]

    async def _during_start(self, each: Round) -> None:
        """Kill while the tables of a new database are made."""
        await self._end()
        self._url = self.server.create(f"{self.name}_{next(self._numbers)}")
        arm = {"point": Point.START, "session": "", "skip": self.random.randrange(4)}
        child = await self._child(works=True, arm=arm)
        await child.until("at", point=Point.START)
        await self._kill(each, child, "")
        with suppress(ChildGone):  # it may have opened the database in spite of all
            await child.until("ready")
        await child.kill()
        await self._ready()
        await self._accept(self._session(parts=1), 1)
        await self._drained()

    async def _while_idle(self, each: Round) -> None:
        """Kill while nothing is to be done, then have something to do."""
        await self._ready()
        await self._drained()
        await self._kill(each, await self._working(), "")
        await self._ready()
        await self._accept(self._session(parts=1), 1)
        await self._drained()

    async def _during_rescue(self, each: Round) -> None:
        """Kill a worker in the middle of a save, then the one that has just given back its job."""
        victim, parts = await self._begun(each)
        holder = Victim.WORKER if self.apart else Victim.PROCESS
        await self._hit(Round(Point.FETCHED, holder, each.grown), victim, parts)
        await self._end()
        self._worker = await self._child(works=True, arm={"point": Point.RESCUE, "session": "", "skip": 0})
        if not self.apart:
            self._host = self._worker
        await self._worker.until("at", point=Point.RESCUE)
        await self._kill(each, self._worker, victim.name)
        await self._over(each, victim, parts)

    async def _ready(self) -> None:
        await self._working()
        await self._hosting()

    async def _working(self) -> Child:
        if self._worker is None or self._worker.gone:
            self._worker = await self._opened(works=True)
        return self._worker

    async def _hosting(self) -> Child:
        if not self.apart:
            self._host = await self._working()
        elif self._host is None or self._host.gone:
            self._host = await self._opened(works=False)
        return self._host

    async def _opened(self, *, works: bool) -> Child:
        child = await self._child(works=works)
        await child.until("ready")
        return child

    async def _child(self, *, works: bool, arm: dict[str, Any] | None = None) -> Child:
        return await self.nursery.child(self._url, self.model.base_url, works=works, arm=arm, heard=self._heard)

    async def _end(self) -> None:
        for child in (self._host, self._worker):
            if child is not None and not child.gone:
                await child.kill()
        self._host = self._worker = None

    def _heard(self, event: dict[str, Any]) -> None:
        if event["event"] == "fetched":
            self._fetched.append((now(), event["session"]))

    def _session(self, *, parts: int, beside: Session | None = None) -> Session:
        number = next(self._numbers)
        user = f"user-{self.random.randrange(4)}" if beside is None else f"user-{4 + self.random.randrange(3)}"
        session = Session(user=user, name=f"S-{self.name}-{number}", parts=parts)
        self._stored.append(session)
        self.ledger.sessions += 1
        return session

    async def _hand_over(self, session: Session, parts: int) -> None:
        host = await self._hosting()
        await host.link.say(do="accept", **as_json(session, parts))

    async def _accept(self, session: Session, parts: int) -> None:
        """Hand a session over until it is accepted, as a host does."""
        async with asyncio.timeout(PATIENCE):
            while True:
                host = await self._hosting()
                told = len(host.events)
                await self._hand_over(session, parts)
                if await self._accepted(host, session.name, told):
                    return

    async def _accepted(self, host: Child, name: str, told: int) -> bool:
        while True:
            for event in host.events[told:]:
                if event.get("session") == name and event["event"] in {"accepted", "refused"}:
                    return bool(event["event"] == "accepted")
            if host.gone:
                return False
            await asyncio.sleep(0.02)

    async def _drained(self) -> None:
        async with asyncio.timeout(PATIENCE):
            while True:
                with suppress(psycopg.OperationalError):
                    if not await asyncio.to_thread(verdict.waiting, self._url):
                        return
                await asyncio.sleep(0.2)

    def _look(self) -> None:
        """Look at all that this database should hold by now."""
        for session in self._stored:
            self.ledger.problems += verdict.problems(self._url, session, session.parts)
            self.ledger.check_payments(self.model, self.name, session.name)
        self._stored.clear()

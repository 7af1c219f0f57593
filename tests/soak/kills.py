"""Plays a plan: servers, nursery and model are started, all lanes run at once, and the ledger says how it was."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack

from tests.soak.lanes import Lane
from tests.soak.ledger import Ledger
from tests.soak.model import Model
from tests.soak.nursery import Nursery
from tests.soak.plan import LanePlan
from tests.soak.server import Server


async def killed(plans: Sequence[LanePlan], seed: int, tell: Callable[[str], None]) -> Ledger:
    """Play these lanes, and return what came of it."""
    ledger, chances = Ledger(), {plan.name: random.Random(f"{seed} {plan.name}") for plan in plans}  # noqa: S311
    async with AsyncExitStack() as stack:
        model = stack.enter_context(Model())
        nursery = await stack.enter_async_context(Nursery())
        shared = Server()
        servers = [Server() if plan.own else shared for plan in plans]
        stack.push_async_callback(_stop, {shared, *servers})
        await asyncio.gather(*(server.start() for server in {shared, *servers}))
        lanes = [
            Lane(
                name=plan.name,
                server=server,
                nursery=nursery,
                model=model,
                ledger=ledger,
                random=chances[plan.name],
                tell=tell,
                apart=plan.apart,
            )
            for plan, server in zip(plans, servers, strict=True)
        ]
        await asyncio.gather(*(lane.play(list(plan.rounds)) for lane, plan in zip(lanes, plans, strict=True)))
        if ledger.problems:
            tell(f"The children's last words:\n{nursery.log[-4000:]}")
    return ledger


async def _stop(servers: set[Server]) -> None:
    await asyncio.gather(*(server.stop() for server in servers))

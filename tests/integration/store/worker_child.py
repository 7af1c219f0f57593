"""A process whose worker takes a job and never ends it, to be killed: `python worker_child.py URL`."""

import asyncio
import sys

from twofold.clock import SystemClock
from twofold.memory.scope import Scope
from twofold.store.inbox import Inbox
from twofold.store.pool import open_pool
from twofold.store.queue import Queue
from twofold.store.worker import Worker


async def hang(scope: Scope, session_id: str, revision: int) -> None:
    sys.stdout.write(f"{session_id} {revision}\n")
    sys.stdout.flush()
    await asyncio.sleep(3600)


async def main(url: str) -> None:
    pool = await open_pool(url)
    await Worker(url, Inbox(pool, Queue(), ttl_days=30, clock=SystemClock()), hang).run()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))

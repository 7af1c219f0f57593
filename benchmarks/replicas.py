"""How many connections each kind of process opens at most, with a pool size of 4 and more to do than it can."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from google.adk.sessions.session import Session
from measures import most_connections, person
from usage import BEGAN, session

from twofold.adk import MemoryService
from twofold.demo.airline import events, trajectories
from twofold.memory.transcript import Transcript
from twofold.models.open import open_models
from twofold.nodes.plain import ENTRIES, plain
from twofold.store.throwaway import throwaway_database
from twofold.testing import memory_app

POOL_SIZE = 4
BIN = Path(sys.executable).parent
LANGGRAPH_JSON = str(Path(__file__).parents[1] / "langgraph.json")
PAUSE = 0.2
WAIT = 120.0
WATCHED = 30.0
CONCURRENT = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Replica:
    """One kind of process: its command, with `{port}` where it listens, and what is set for it."""

    command: Sequence[str]
    variables: Mapping[str, str]


REPLICAS = {
    "`twofold serve`, workers elsewhere": Replica(
        command=[str(BIN / "twofold"), "serve", "--port", "{port}"], variables={"TWOFOLD_WORKER": "false"}
    ),
    "`twofold serve`": Replica(command=[str(BIN / "twofold"), "serve", "--port", "{port}"], variables={}),
    "LangGraph server": Replica(
        command=[
            str(BIN / "langgraph"),
            *"dev --no-browser --no-reload --port {port} --config".split(),
            LANGGRAPH_JSON,
        ],
        variables={"LANGGRAPH_NO_VERSION_CHECK": "1", "LANGGRAPH_CLI_NO_ANALYTICS": "1"},
    ),
}


async def replicas(server: str, calls: int) -> dict[str, int]:
    """Return the most connections of each kind of process, each on a database of its own."""
    measured = {"in the agent's process": await _most(server, partial(_in_process, calls=calls))}
    for name, replica in REPLICAS.items():
        measured[name] = await _most(server, partial(_asked, replica=replica, calls=calls))
    for at_once in (2, 20):
        worked = partial(_worked_on, at_once=at_once)
        measured[f"`twofold worker --concurrency {at_once}`"] = await _most(server, worked, prepare=calls)
    return measured


async def _most(server: str, action: Callable[[str], Awaitable[None]], *, prepare: int = 0) -> int:
    with throwaway_database(server) as url:
        async with memory_app(url, models=open_models(chat="offline", embedding="minilm")) as app:
            for number in range(prepare):
                await app.accept(person(number), session(number, 4 * number)[-1], at_once=True)
        async with most_connections(url) as seen:
            await action(url)
        return seen["most"]


async def _in_process(url: str, calls: int) -> None:
    os.environ |= _variables(url)  # noqa: TID251 - a process of its own would be set up so
    service = MemoryService()
    trajectory = trajectories()[0]
    sessions = [
        Session(id=f"s{number}", app_name="erp", user_id=f"u{number}", events=list(events(trajectory, BEGAN)))
        for number in range(calls)
    ]
    await asyncio.gather(*(service.add_session_to_memory(each) for each in sessions))
    await asyncio.gather(
        *(service.search_memory(app_name="erp", user_id=f"u{n}", query=f"booking {n}") for n in range(calls)),
        service.flush(timeout=WAIT),
    )
    await service.close()


async def _asked(url: str, replica: Replica, calls: int) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [part.format(port=port) for part in replica.command]
    async with (
        _running(url, command, replica.variables) as process,
        httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}", timeout=WAIT, limits=httpx.Limits(max_connections=CONCURRENT)
        ) as client,
    ):
        await _until_up(client, process)
        handed = [_body(session(number, 4 * number)[-1]) for number in range(calls)]
        asked = [client.post("/memory/sessions", json=body) for body in handed]
        asked += [client.post("/memory/search", json={"query": f"Which account, {number}?"}) for number in range(calls)]
        for answer in await asyncio.gather(*asked):
            answer.raise_for_status()


async def _worked_on(url: str, at_once: int) -> None:
    command = [str(BIN / "twofold"), "worker", "--until-empty", "--concurrency", str(at_once)]
    async with _running(url, command, {}) as process:
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), WATCHED)


def _variables(url: str) -> dict[str, str]:
    patience = {"TWOFOLD_RECALL_DEADLINE": str(WAIT), "TWOFOLD_SETTLE_SECONDS": "0"}
    return {"TWOFOLD_DATABASE_URL": url, "TWOFOLD_POOL_SIZE": str(POOL_SIZE), **patience}


@asynccontextmanager
async def _running(
    url: str, command: Sequence[str], variables: Mapping[str, str]
) -> AsyncIterator[asyncio.subprocess.Process]:
    with TemporaryDirectory(prefix="twofold-bench-") as folder:
        process = await asyncio.create_subprocess_exec(
            *command,
            env={**os.environ, **_variables(url), **variables},  # noqa: TID251 - the child's
            cwd=folder,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            yield process
        finally:
            if process.returncode is None:
                process.terminate()
                await process.wait()


async def _until_up(client: httpx.AsyncClient, process: asyncio.subprocess.Process) -> None:
    async with asyncio.timeout(WAIT):
        while process.returncode is None:
            try:
                if (await client.get("/memory/health")).is_success:
                    return
            except httpx.TransportError:
                await asyncio.sleep(PAUSE)
    raise RuntimeError("the server did not start")


def _body(transcript: Transcript) -> dict[str, Any]:
    entries = plain(ENTRIES, transcript.entries)
    return {"session_id": transcript.session_id, "entries": entries, "at_once": True}

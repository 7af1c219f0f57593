"""What people have on a LangGraph server, and waiting for it."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import psycopg
from langgraph_sdk.client import LangGraphClient

from tests.server.dev import DevServer
from tests.server.samples import session

_LOCKED = """
SELECT 1 FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


async def keep_words(server: DevServer, headers: dict[str, str], words: str) -> dict[str, str]:
    """Say something in a run that has ended, one that waits, a schedule and a session of the memory; return ids."""
    given = session(words, "own")
    async with server.client(headers) as client, server.http(headers) as http:
        thread = (await client.threads.create())["thread_id"]
        await client.runs.wait(thread, "memory_write", input=given)
        other = (await client.threads.create())["thread_id"]
        await client.runs.create(other, "memory_write", input=session(words, "other"), after_seconds=3600)
        await client.crons.create("memory_write", schedule="0 3 1 1 *", input=given)
        await client.crons.create_for_thread(other, "memory_read", schedule="0 3 1 1 *", input={"query": words})
        await http.post("/memory/sessions", json=given)
        await stored(http)
        return {"thread": thread, "other": other}


async def kept_of(server: DevServer, headers: dict[str, str]) -> tuple[set[str], int, int]:
    """Return somebody's threads, and how many schedules and memories they have."""
    async with server.client(headers) as client, server.http(headers) as http:
        threads = {thread["thread_id"] for thread in await client.threads.search(limit=1000)}
        crons = await client.crons.search(limit=1000)
        return threads, len(crons), len((await http.get("/memory")).json()["memories"])


async def stored(http: httpx.AsyncClient) -> list[dict[str, Any]]:
    for _ in range(60):
        memories: list[dict[str, Any]] = (await http.get("/memory")).json()["memories"]
        if memories:
            return memories
        await asyncio.sleep(0.5)
    raise AssertionError("nothing was stored in half a minute")


async def no_thread_of(client: LangGraphClient) -> None:
    """Wait until the client's person has no thread."""
    for _ in range(1200):
        if not await client.threads.search(limit=1):
            return
        await asyncio.sleep(0.05)
    raise AssertionError("a thread is there after a minute")


async def waiting_for(blocking: psycopg.Connection[Any]) -> None:
    """Wait until somebody waits for what this transaction holds."""
    for _ in range(1200):
        if blocking.execute(_LOCKED).fetchone():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("nobody waited for a minute")

"""What was accepted is stored exactly once, whatever happens to the process."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.acceptance.child import FACT
from tests.acceptance.host import APP, session_of, stored
from tests.services import Services
from twofold.adk import MemoryService
from twofold.models.open import Models

ROOT = Path(__file__).parents[2]
TAKEN_UP_WITHIN = 30.0


def child(what: str, database_url: str) -> subprocess.CompletedProcess[str]:
    """Run a process of `child.py` to its end."""
    command = [sys.executable, "-m", "tests.acceptance.child", what, database_url]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=90, check=False)


async def until_stored(database_url: str) -> float:
    """Wait for the first fact; return the seconds it took."""
    began = time.monotonic()
    while not stored(database_url):
        assert time.monotonic() - began < TAKEN_UP_WITHIN, "nothing was stored"
        await asyncio.sleep(0.2)
    return time.monotonic() - began


@pytest.mark.timeout(150)
@pytest.mark.parametrize("how", ["accept_and_die", "die_while_extracting"])
async def test_a_session_accepted_before_kill_9_is_stored_once_by_the_next_process(
    database_url: str, models: Models, how: str
) -> None:
    """Killed before the job began and while it ran: the next process goes on with it by itself."""
    service = MemoryService(database_url, models=models)
    died = child(how, database_url)
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert stored(database_url) == []
    await service.search_memory(app_name=APP, user_id="anna", query="anything")
    await until_stored(database_url)
    await service.add_session_to_memory(session_of(("user", FACT), ("clerk", "Noted."), session_id="s"))
    assert await service.flush() == 0
    assert stored(database_url) == [FACT]
    await service.close()


@pytest.mark.timeout(120)
def test_a_script_that_ends_right_after_its_last_run_loses_nothing(database_url: str) -> None:
    """The save it accepted is finished before the interpreter exits."""
    ended = child("run_and_end", database_url)
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr
    assert stored(database_url) == [FACT]


async def test_five_concurrent_saves_of_one_fact_make_one_row(services: Services, database_url: str) -> None:
    """Five sessions of one user say the same, handed over at once through two services."""
    first, second = services.make(), services.make()
    turns = (("user", FACT), ("clerk", "Noted."))
    await asyncio.gather(
        *(
            (second if number % 2 else first).add_session_to_memory(session_of(*turns, session_id=f"s{number}"))
            for number in range(5)
        )
    )
    assert sum(await asyncio.gather(first.flush(), second.flush())) == 0
    assert stored(database_url) == [FACT]


async def test_one_session_handed_over_many_times_makes_the_same_memories(
    service: MemoryService, database_url: str
) -> None:
    """Whole, truncated, grown and concurrently."""
    turns = (("user", FACT), ("clerk", "Noted."), ("user", "My company is 1000."), ("clerk", "Noted."))
    parts = [session_of(*turns[:end], session_id="s") for end in (2, 4, 3, 4)]
    truncated = session_of(*turns, session_id="s")
    truncated.events = truncated.events[2:]
    await asyncio.gather(*(service.add_session_to_memory(part) for part in (*parts, truncated)))
    await service.flush()
    await service.add_session_to_memory(parts[0])
    await service.flush()
    assert stored(database_url) == ["My company is 1000.", FACT]

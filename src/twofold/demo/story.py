"""The whole of twofold in a minute, without any account: `twofold demo`.

Memory and sessions live in a temporary folder that is gone afterwards. With `TWOFOLD_DATABASE_URL` the memory
lives in that database, under an app name of this run, and is erased at the end. With `OPENAI_API_KEY` a real
model takes out the facts.
"""

from __future__ import annotations

import time
from datetime import timedelta
from statistics import median

from google.adk.models.llm_request import LlmRequest

from twofold.app import MemoryApp
from twofold.clock import SystemClock
from twofold.demo import page
from twofold.demo.airline import Trajectory, stored_session, trajectories
from twofold.demo.scripted_model import UNKNOWN
from twofold.demo.stage import Stage, opened
from twofold.memory.scope import Scope
from twofold.settings import load_settings

USER = "anna.meier@acme.example"
PREFERENCES = (
    "I work with the US Primary Ledger, company 1000 and the corporate asset book. I prefer reports as a table."
)
CLOSE = "Please close the books for March 2026."
WHICH = "Which ledger do I work with?"
WHY = "Why did last month's close fail?"


async def first_session(stage: Stage) -> None:
    """Let the user say what they work with, and a close fail."""
    page.heading("1. First session: preferences, and a close that fails")
    await stage.talk(USER, PREFERENCES, CLOSE)
    began = time.perf_counter()
    with page.working("remembering the session"):
        left = await stage.service.flush()
    page.row("memory", f"saved by the plugin at the end of each turn, remembered {page.passed(began)} later")
    stage.check("the first session was not stored", right=left == 0)


async def second_session(stage: Stage) -> None:
    """Show that a new session knows both: what was said and what happened."""
    page.heading("2. A new session: what the model is sent now")
    stage.model.requests.clear()
    which = await stage.talk(USER, WHICH)
    page.block(shown(stage.model.requests[0]))
    stage.check(f"{WHICH} {which}", right="US Primary Ledger" in which)
    page.heading("3. The question nobody could answer")
    why = await stage.talk(USER, WHY)
    stage.check(f"{WHY} {why}", right="open subledgers exist" in why)
    page.heading("4. The same question with memory off")
    without = await stage.talk(USER, WHY, memory=False)
    stage.check(f"{WHY} (memory off) {without}", right=without == UNKNOWN)


def shown(request: LlmRequest) -> str:
    """Return the texts of a model request."""
    return "\n".join(
        f"{content.role}: {part.text.rstrip()}"
        for content in request.contents
        for part in content.parts or []
        if part.text
    )


async def airline(stage: Stage) -> None:
    """Save a dozen recorded conversations, and recall each."""
    page.heading("5. Twelve recorded conversations of an airline's agent (tau-bench)")
    recorded = trajectories()
    with page.working(f"remembering {len(recorded)} conversations"):
        accepted = [await accept(stage, trajectory, days) for days, trajectory in enumerate(recorded, start=1)]
        began = time.perf_counter()
        left = await stage.service.flush(timeout=90)
    stage.check(f"{left} of the recorded conversations were not stored", right=left == 0)
    page.paragraph(
        f"Each was durably accepted in {median(accepted) * 1000:.0f} ms (median); all were remembered"
        f" {page.passed(began)} later. Now each customer says again what they said first, and this comes back"
        " of that conversation:"
    )
    recalled = [await recall(stage, trajectory) for trajectory in recorded]
    page.paragraph(f"Each recall took {median(recalled) * 1000:.0f} ms (median).")


async def accept(stage: Stage, trajectory: Trajectory, days: int) -> float:
    """Store a conversation as an ADK session and hand it to memory; return the seconds of the latter."""
    session = await stored_session(
        stage.sessions, stage.app_name, trajectory, began=SystemClock().now() - timedelta(days=days)
    )
    began = time.perf_counter()
    await stage.service.add_session_to_memory(session)
    return time.perf_counter() - began


async def recall(stage: Stage, trajectory: Trajectory) -> float:
    """Ask what the customer asked, check what comes back of that conversation, return the seconds."""
    began = time.perf_counter()
    found = await stage.service.search_memory(
        app_name=stage.app_name, user_id=trajectory.user_id, query=trajectory.opening
    )
    took = time.perf_counter() - began
    episodes = [
        (entry.content.parts or [])[0].text or ""
        for entry in found.memories
        if entry.custom_metadata["kind"] == "episodic" and trajectory.session_id in str(entry.custom_metadata["source"])
    ]
    expected = (*trajectory.tools, *trajectory.reasons)
    right = len(episodes) == 1 and all(word in episodes[0] for word in expected)
    stage.check(f"the recall of {trajectory.session_id}", right=right)
    page.row(trajectory.user_id, in_short(trajectory, "\n".join(episodes)), width=18)
    return took


def in_short(trajectory: Trajectory, episode: str) -> str:
    """Return how many steps an episode has and which of them failed."""
    if not episode:
        return "nothing"
    failures = [line.partition("FAILURE: ")[2] for line in episode.splitlines() if "FAILURE: " in line]
    failed = "; failed: " + "; ".join(dict.fromkeys(failures)) if failures else ", none failed"
    return f"{len(trajectory.tools)} steps{failed}"


async def stored(stage: Stage) -> None:
    """Print what is stored of the first user, and how much of everyone."""
    page.heading("6. What is stored now")
    async with MemoryApp.open(load_settings(database_url=stage.database_url)) as app:
        for user_id in dict.fromkeys((USER, *(trajectory.user_id for trajectory in trajectories()))):
            scope = Scope(tenant_id=stage.app_name, user_id=user_id)
            facts, episodes = await app.memories(scope, "semantic"), await app.memories(scope, "episodic")
            page.row(user_id, f"facts: {len(facts)}, episodes: {len(episodes)}", width=23)
            if user_id == USER:
                page.block("\n".join(memory.text.splitlines()[0] for memory in (*facts, *episodes)))


async def tell() -> int:
    """Tell the whole story; return 0 if every answer was right."""
    began = time.perf_counter()
    page.heading("twofold: long-term memory for Google ADK agents")
    async with opened() as stage:
        await first_session(stage)
        await second_session(stage)
        await airline(stage)
        await stored(stage)
        for user_id in {USER, *(trajectory.user_id for trajectory in trajectories())}:
            await stage.service.delete_user(app_name=stage.app_name, user_id=user_id)
    page.heading("Result")
    for what in stage.wrong:
        page.row("wrong", what)
    judged = "Some answers were wrong" if stage.wrong else "Every answer was right"
    page.paragraph(f"{judged}. It took {page.passed(began)}; the demo has erased what it stored.")
    return 1 if stage.wrong else 0

"""However a run ends and whoever drives it, what happened is saved and the answer is not harmed."""

from __future__ import annotations

import asyncio
import threading

import psycopg
import pytest
from google.adk.agents.run_config import RunConfig
from google.adk.sessions.base_session_service import BaseSessionService, GetSessionConfig
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.tools.agent_tool import AgentTool

from tests.acceptance.host import APP, Host, Replies, agent_with, call, request_text, said, stored, text_of
from tests.services import Services
from twofold.adk import MemoryService
from twofold.models.open import Models

NOBODY_LISTENS = "postgresql://nobody@127.0.0.1:1/nothing?connect_timeout=1"


def post_journal(amount: int) -> str:
    """Post a journal."""
    raise RuntimeError(f"ledger is locked, {amount} not posted")


async def test_a_run_whose_tool_raises_is_saved_with_the_reason(host: Host, database_url: str) -> None:
    """ADK does not call `after_run_callback` for it and keeps no response of the tool."""
    agent = agent_with(Replies(replies=[call("post_journal", amount=7)]), post_journal)
    with pytest.raises(RuntimeError, match="ledger is locked"):
        await host.say(agent, "Post 7 to the US Primary Ledger.")
    await host.service.flush()
    (episode,) = stored(database_url, "episodic")
    assert "FAILURE" in episode
    assert "ledger is locked, 7 not posted" in episode


async def test_a_run_whose_model_raises_is_saved(host: Host, database_url: str) -> None:
    """What the user said before the model failed is not lost."""
    agent = agent_with(Replies(replies=[RuntimeError("model is overloaded")]))
    session = await host.say(agent_with(Replies()), "My company is 1000.")
    with pytest.raises(RuntimeError, match="overloaded"):
        await host.say(agent, "My period is March.", session_id=session.id)
    await host.service.flush()
    assert stored(database_url) == ["My company is 1000.", "My period is March."]


async def test_a_run_that_the_host_cancels_is_saved(host: Host, database_url: str) -> None:
    """As a web server does when its client goes away; ADK calls no hook for it."""
    waiting = asyncio.Event()

    async def wait_for_ever() -> str:
        """Wait."""
        waiting.set()
        await asyncio.sleep(3600)
        return "never"

    agent = agent_with(Replies(replies=[call("wait_for_ever")]), wait_for_ever)
    run = asyncio.create_task(host.say(agent, "My company is 1000."))
    await waiting.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    for _ in range(100):
        if await host.service.flush() == 0 and stored(database_url):
            break
        await asyncio.sleep(0.05)
    assert stored(database_url) == ["My company is 1000."]


@pytest.mark.filterwarnings("ignore:The `plugins` argument is deprecated:DeprecationWarning")  # in AgentTool
async def test_the_run_inside_an_agent_tool_is_not_saved_as_the_users_words(host: Host, database_url: str) -> None:
    """The plugin runs for the inner agent too, whose "user" is the outer agent."""
    inner = agent_with(Replies(), name="archive")
    outer = agent_with(Replies(replies=[call("archive", request="I am the archive's caller.")]), AgentTool(inner))
    await host.say(outer, "Look into the archive for company 1000.")
    await host.service.flush()
    assert stored(database_url) == ["Look into the archive for company 1000."]
    (episode,) = stored(database_url, "episodic")
    assert "archive(" in episode


async def test_a_database_that_cannot_be_reached_does_not_harm_a_turn(
    sessions: BaseSessionService, models: Models
) -> None:
    """The answer comes, nothing is recalled, and health tells that memory is down."""
    host = Host(service=MemoryService(NOBODY_LISTENS, models=models), sessions=sessions)
    session = await host.say(agent_with(Replies()), "Which ledger is mine?")
    assert text_of(session.events[-1].content) == "Noted."
    assert host.service.health.searches_failed >= 1
    assert host.service.health.sessions_not_accepted == 1
    assert host.service.health.last_error
    await host.service.close()


async def test_a_table_that_vanishes_does_not_harm_a_turn_and_the_next_run_saves_both(
    host: Host, database_url: str
) -> None:
    """A session that was not accepted is handed over whole again by its next run."""
    first = await host.say(agent_with(Replies()), "My company is 1000.")
    await host.service.flush()
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("ALTER TABLE twofold.inbox RENAME TO inbox_away")
        session = await host.say(agent_with(Replies()), "My period is March.", session_id=first.id)
        connection.execute("ALTER TABLE twofold.inbox_away RENAME TO inbox")
    assert text_of(session.events[-1].content) == "Noted."
    assert host.service.health.sessions_not_accepted == 1
    await host.say(agent_with(Replies()), "My ledger is US Primary.", session_id=first.id)
    await host.service.flush()
    assert stored(database_url) == ["My company is 1000.", "My ledger is US Primary.", "My period is March."]


async def test_a_run_that_shows_the_model_few_events_is_saved_whole(host: Host, database_url: str) -> None:
    """`RunConfig.get_session_config` truncates the session that plugins see; memory asks for all of it."""
    agent, few = agent_with(Replies()), RunConfig(get_session_config=GetSessionConfig(num_recent_events=1))
    session = await host.sessions.create_session(app_name=APP, user_id="anna")
    for message in ("My company is 1000.", "My period is March.", "My ledger is US Primary."):
        turn = host.runner(agent).run_async(
            user_id="anna", session_id=session.id, new_message=said(message), run_config=few
        )
        async for _ in turn:
            pass
    await host.service.flush()
    assert stored(database_url) == ["My company is 1000.", "My ledger is US Primary.", "My period is March."]


async def test_a_run_left_before_its_end_is_saved_and_does_not_bind_later_searches(host: Host) -> None:
    """Some hosts stop reading at the first final answer."""
    session = await host.sessions.create_session(app_name=APP, user_id="anna")
    message = said("My ledger is US Primary.")
    run = host.runner(agent_with(Replies())).run_async(user_id="anna", session_id=session.id, new_message=message)
    async for _ in run:
        break
    await run.aclose()
    await host.service.flush()
    assert await host.search("Which ledger?") == ["My ledger is US Primary."]


async def test_an_undone_turn_is_not_remembered(host: Host, database_url: str) -> None:
    """After a rewind ADK still has the events of the turn; memory does not."""
    agent = agent_with(Replies())
    session = await host.say(agent, "My company is 1000.", "My company is 9999.")
    undone = session.events[-1].invocation_id
    await host.runner(agent).rewind_async(user_id="anna", session_id=session.id, rewind_before_invocation_id=undone)
    await host.say(agent, "My period is March.", session_id=session.id)
    await host.service.flush()
    assert stored(database_url) == ["My company is 1000.", "My period is March."]


def test_the_runner_without_async_saves_and_recalls(services: Services, database_url: str) -> None:
    """`Runner.run` makes a new event loop and thread for each call."""
    service, sessions, model = services.make(), InMemorySessionService(), Replies()
    runner = Host(service=service, sessions=sessions).runner(agent_with(model))
    for session_id, message in (("1", "My ledger is US Primary."), ("2", "Which ledger is mine?")):
        asyncio.run(sessions.create_session(app_name=APP, user_id="anna", session_id=session_id))
        list(runner.run(user_id="anna", session_id=session_id, new_message=said(message)))
        assert asyncio.run(service.flush()) == 0
    assert "fact: My ledger is US Primary." in request_text(model.requests[-1])
    assert stored(database_url) == ["My ledger is US Primary.", "Which ledger is mine?"]


def test_several_threads_with_loops_of_their_own_share_one_service(services: Services) -> None:
    """Each thread saves for a user of its own and recalls just that."""
    service, sessions = services.make(), InMemorySessionService()
    host, recalled = Host(service=service, sessions=sessions), {}

    async def live(user_id: str) -> None:
        await host.say(agent_with(Replies()), f"My ledger is {user_id}.", user_id=user_id)
        await service.flush()
        recalled[user_id] = await host.search("Which ledger is mine?", user_id)

    users = [f"user{number}" for number in range(6)]
    threads = [threading.Thread(target=lambda user=user: asyncio.run(live(user))) for user in users]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert recalled == {user: [f"My ledger is {user}."] for user in users}

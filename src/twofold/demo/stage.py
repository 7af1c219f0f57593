"""What the demo stands on: memory, sessions and a runner, opened in a folder that is gone afterwards."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from google.adk.apps.app import App
from google.adk.events.event import Event
from google.adk.runners import Runner
from google.adk.sessions.base_session_service import BaseSessionService
from google.adk.sessions.database_session_service import DatabaseSessionService
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.genai import types

from twofold.adk import MemoryPlugin, MemoryService
from twofold.demo import page
from twofold.demo.month_end import month_end_agent
from twofold.demo.scripted_model import ScriptedModel
from twofold.memory.errors import StoreUnavailable
from twofold.settings import load_settings
from twofold.store.embedded import start_embedded
from twofold.store.migrate import recorded_embedder


@dataclass(kw_only=True)
class Stage:
    """What the parts of the demo share, and which answers were wrong."""

    app_name: str
    database_url: str
    service: MemoryService
    sessions: BaseSessionService
    model: ScriptedModel = field(default_factory=ScriptedModel)
    wrong: list[str] = field(default_factory=list)

    def check(self, what: str, *, right: bool) -> None:
        """Note an answer that was not right."""
        if not right:
            self.wrong.append(what)

    def runner(self, *, memory: bool = True) -> Runner:
        """Return ADK's runner; all that memory needs is the service and the plugin."""
        agent = month_end_agent(self.model, memory=memory)
        return Runner(
            app=App(name=self.app_name, root_agent=agent, plugins=[MemoryPlugin()] if memory else []),
            session_service=self.sessions,
            memory_service=self.service if memory else None,
        )

    async def talk(self, user_id: str, *messages: str, memory: bool = True) -> str:
        """Hold a conversation in a session of its own, print it, and return the last answer."""
        runner, answer = self.runner(memory=memory), ""
        session = await self.sessions.create_session(app_name=self.app_name, user_id=user_id)
        for message in messages:
            page.row("user", message)
            content = types.Content(role="user", parts=[types.Part(text=message)])
            async for event in runner.run_async(user_id=user_id, session_id=session.id, new_message=content):
                answer = told(event) or answer
        return answer


def told(event: Event) -> str:
    """Print what an event tells and return the text in it."""
    text = ""
    for part in (event.content.parts if event.content else None) or []:
        if part.function_call:
            page.row("agent", f"calls {part.function_call.name}({_listed(part.function_call.args)})")
        elif part.function_response:
            page.row("", f"→ {_listed(part.function_response.response)}")
        elif part.text:
            text = part.text
            page.row("agent", text)
    return text


def _listed(values: dict[str, object] | None) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in (values or {}).items())


@asynccontextmanager
async def opened() -> AsyncIterator[Stage]:
    """Open memory and sessions and say which parts run. Raises StoreUnavailable.

    The folder is removed at exit, after the server in it was stopped: what is registered first runs last.
    """
    folder = Path(tempfile.mkdtemp(prefix="twofold-demo-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    began = time.perf_counter()
    given = load_settings().database_url
    with page.working("starting the database"):
        url = given.get_secret_value() if given else start_embedded(folder / "postgres")
    await recorded_embedder(url)  # raises what is wrong with the database, which a search only logs
    stage = Stage(
        app_name=f"demo-{uuid4().hex[:8]}",
        database_url=url,
        service=MemoryService() if given else MemoryService(url),
        sessions=_sessions(folder),
    )
    with page.working("opening the memory"):
        await stage.service.search_memory(app_name=stage.app_name, user_id="anyone", query="Is anything known?")
    health = stage.service.health
    if not health.opened:
        raise StoreUnavailable(f"The demo's memory could not be opened: {health.last_error}")
    where = f"PostgreSQL at {health.database}" if given else "the PostgreSQL that comes with it, in a temporary folder"
    page.row("database", f"{where}; ready in {page.passed(began)}")
    page.row("facts", f"by {health.extractor}")
    page.row("vectors", f"by {health.embedder}")
    try:
        yield stage
    finally:
        await stage.service.close()
        if isinstance(stage.sessions, DatabaseSessionService):
            await stage.sessions.close()


def _sessions(folder: Path) -> BaseSessionService:
    """Return ADK's session service on SQLite, or in memory where the extra `adk-db` is not installed."""
    try:
        return DatabaseSessionService(f"sqlite+aiosqlite:///{folder / 'sessions.db'}")
    except ImportError:
        return InMemorySessionService()

"""An ADK host as a user of twofold writes one: a runner, sessions in a database, memory with its plugin."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import psycopg
from google.adk.agents import LlmAgent
from google.adk.apps.app import App
from google.adk.events.event import Event
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions.base_session_service import BaseSessionService
from google.adk.sessions.session import Session
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.preload_memory_tool import PreloadMemoryTool
from google.genai import types
from pydantic import Field, PrivateAttr

from twofold.adk import MemoryPlugin, MemoryService
from twofold.memory.scope import Kind, Scope, namespace

APP = "books"
FREE = types.GenerateContentResponseUsageMetadata(prompt_token_count=0, candidates_token_count=0)


class Replies(BaseLlm):
    """A model that replies with what it was given, in order, then with "Noted."; an exception is raised."""

    model: str = "replies"
    replies: list[Any] = Field(default_factory=list)
    _requests: list[LlmRequest] = PrivateAttr(default_factory=list)

    @property
    def requests(self) -> list[LlmRequest]:
        """Every request so far."""
        return self._requests

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: FBT001, FBT002 - ADK's signature
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield the next reply."""
        self._requests.append(llm_request.model_copy(deep=True))
        reply = self.replies.pop(0) if self.replies else types.Part(text="Noted.")
        if isinstance(reply, Exception):
            raise reply
        yield LlmResponse(content=types.Content(role="model", parts=[reply]), usage_metadata=FREE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """Runs agents with memory for any user."""

    service: MemoryService
    sessions: BaseSessionService
    app_name: str = APP

    def runner(self, agent: LlmAgent) -> Runner:
        """Return a runner with the memory service and its plugin."""
        return Runner(
            app=App(name=self.app_name, root_agent=agent, plugins=[MemoryPlugin()]),
            session_service=self.sessions,
            memory_service=self.service,
        )

    async def say(
        self, agent: LlmAgent, *messages: str, user_id: str = "anna", session_id: str | None = None
    ) -> Session:
        """Hold a conversation and return its session; without `session_id` in a new one."""
        runner = self.runner(agent)
        session_id = session_id or uuid4().hex
        who: dict[str, Any] = {"app_name": self.app_name, "user_id": user_id, "session_id": session_id}
        if await self.sessions.get_session(**who) is None:
            await self.sessions.create_session(**who)
        for message in messages:
            async for _ in runner.run_async(user_id=user_id, session_id=session_id, new_message=said(message)):
                pass
        session = await self.sessions.get_session(**who)
        assert session is not None
        return session

    async def search(self, query: str, user_id: str = "anna") -> list[str]:
        """Return the texts recalled."""
        found = await self.service.search_memory(app_name=self.app_name, user_id=user_id, query=query)
        return [text_of(entry.content) for entry in found.memories]


def agent_with(model: BaseLlm, *tools: Callable[..., object] | BaseTool, name: str = "clerk") -> LlmAgent:
    """Return an agent that is shown its memories before each answer."""
    return LlmAgent(name=name, model=model, instruction="Help.", tools=[PreloadMemoryTool(), *tools])


def call(tool: str, **args: object) -> types.Part:
    """Return a tool call as a model makes one."""
    return types.Part(function_call=types.FunctionCall(name=tool, args=args))


def said(text: str) -> types.Content:
    """Return a message of the user."""
    return types.Content(role="user", parts=[types.Part(text=text)])


def text_of(content: types.Content | None) -> str:
    """Return the text of a content."""
    return "\n".join(part.text for part in (content.parts if content else None) or [] if part.text)


def request_text(request: LlmRequest) -> str:
    """Return all text a model was sent, in order."""
    return "\n".join(text_of(content) for content in request.contents)


def session_of(*turns: tuple[str, str], session_id: str, user_id: str = "anna", app_name: str = APP) -> Session:
    """Return a session with these turns, each an author (`user` or the agent's name) and a text."""
    events = [
        Event(id=f"{session_id}-{index}", author=author, invocation_id="i", content=said(text))
        for index, (author, text) in enumerate(turns)
    ]
    return Session(id=session_id, app_name=app_name, user_id=user_id, events=events)


def stored(database_url: str, kind: Kind = "semantic", *, user_id: str = "anna", tenant: str = APP) -> Sequence[str]:
    """Return the texts in the table of memories, in order, as they lie in the database."""
    prefix = ".".join(namespace(Scope(tenant_id=tenant, user_id=user_id), kind))
    with psycopg.connect(database_url) as connection:
        rows = connection.execute(
            "SELECT value ->> 'text' FROM store WHERE prefix = %s ORDER BY 1", (prefix,)
        ).fetchall()
    return [text for (text,) in rows]

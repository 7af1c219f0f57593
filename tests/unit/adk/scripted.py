"""An ADK agent whose model says what a test wrote down, run by the real Runner."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.events.event import Event
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.sessions.session import Session
from google.genai import types

APP, USER, SESSION = "erp", "anna", "s1"


class ScriptedLlm(BaseLlm):
    """Gives its replies in order; an exception among them is raised."""

    model: str = "scripted"
    replies: list[Any]

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: FBT001, FBT002 - as ADK declares it
    ) -> AsyncGenerator[LlmResponse, None]:
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        yield reply


def says(text: str) -> LlmResponse:
    return LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]))


def calls(*asked: tuple[str, dict[str, Any]]) -> LlmResponse:
    parts = [types.Part(function_call=types.FunctionCall(name=name, args=args)) for name, args in asked]
    return LlmResponse(content=types.Content(role="model", parts=parts))


class Conversation:
    """A user and a scripted agent in one session."""

    def __init__(
        self, *replies: LlmResponse | Exception, tools: Sequence[Any] = (), agents: Sequence[LlmAgent] = ()
    ) -> None:
        self._sessions = InMemorySessionService()
        model = ScriptedLlm(replies=list(replies))
        agent = LlmAgent(name="clerk", model=model, tools=list(tools), sub_agents=list(agents))
        self._runner = Runner(app_name=APP, agent=agent, session_service=self._sessions, auto_create_session=True)

    async def say(self, text: str) -> None:
        """Say something as the user; the agent's turn runs to its end or to its error."""
        await self._send(types.Part(text=text))

    async def answer(self, tool: str, response: Mapping[str, Any]) -> None:
        """Answer the newest call of `tool` as the user."""
        [*_, call] = [c for event in await self.events() for c in event.get_function_calls() if c.name == tool]
        answer = types.FunctionResponse(id=call.id, name=tool, response=dict(response))
        await self._send(types.Part(function_response=answer))

    async def rewind(self, which: Callable[[Event], bool]) -> None:
        """Undo everything from the invocation of the first event that `which` picks."""
        invocation = next(event.invocation_id for event in await self.events() if which(event))
        await self._runner.rewind_async(user_id=USER, session_id=SESSION, rewind_before_invocation_id=invocation)

    async def session(self) -> Session:
        session = await self._sessions.get_session(app_name=APP, user_id=USER, session_id=SESSION)
        assert session is not None
        return session

    async def events(self) -> list[Event]:
        return (await self.session()).events

    async def _send(self, part: types.Part) -> None:
        message = types.Content(role="user", parts=[part])
        try:
            async for _ in self._runner.run_async(user_id=USER, session_id=SESSION, new_message=message):
                pass
        except ToolDown:
            pass  # what a host would see, too; the session holds the error


class ToolDown(Exception):
    """What a scripted tool or model fails with."""

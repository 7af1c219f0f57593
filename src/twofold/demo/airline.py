"""Recorded airline conversations as ADK sessions. Where they come from: data/airline/README.md."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from google.adk.events.event import Event
from google.adk.sessions.base_session_service import BaseSessionService
from google.adk.sessions.session import Session
from google.genai import types

DATA = Path(__file__).parent / "data" / "airline" / "trajectories.jsonl"
AGENT = "airline_agent"
BETWEEN_EVENTS = timedelta(seconds=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """One recorded conversation: whose it is, whether the task was done, and its messages in order."""

    session_id: str
    user_id: str
    done: bool
    messages: tuple[dict[str, Any], ...]

    @property
    def opening(self) -> str:
        """What the customer said first."""
        return str(self.messages[0]["content"])

    @property
    def tools(self) -> list[str]:
        """The tools called, in order."""
        return [message["name"] for message in self.messages if message["role"] == "tool"]

    @property
    def reasons(self) -> list[str]:
        """Why calls failed, in order, as the airline's tools said it."""
        returned = (message["content"] for message in self.messages if message["role"] == "tool")
        return [content.removeprefix("Error: ") for content in returned if content.startswith("Error")]


def trajectories() -> list[Trajectory]:
    """Return the recorded conversations."""
    rows = map(json.loads, DATA.read_text(encoding="utf-8").splitlines())
    return [
        Trajectory(
            session_id=f"airline-{row['task_id']}-{row['trial']}",
            user_id=row["user_id"],
            done=row["reward"] == 1.0,
            messages=tuple(row["traj"]),
        )
        for row in rows
    ]


async def stored_session(
    sessions: BaseSessionService, app_name: str, trajectory: Trajectory, *, began: datetime
) -> Session:
    """Return the conversation as a session that ADK stored, event by event."""
    session = await sessions.create_session(
        app_name=app_name, user_id=trajectory.user_id, session_id=trajectory.session_id
    )
    for event in events(trajectory, began):
        await sessions.append_event(session, event)
    stored = await sessions.get_session(app_name=app_name, user_id=trajectory.user_id, session_id=session.id)
    if stored is None:
        raise LookupError(f"Session {session.id!r} was stored but cannot be read")
    return stored


def events(trajectory: Trajectory, began: datetime) -> Iterator[Event]:
    """Yield an event per message, each user message beginning an invocation, as ADK's runner makes them."""
    invocation = 0
    for index, message in enumerate(trajectory.messages):
        invocation += message["role"] == "user"
        yield Event(
            id=f"{trajectory.session_id}-{index}",
            invocation_id=f"{trajectory.session_id}-turn-{invocation}",
            author="user" if message["role"] == "user" else AGENT,
            timestamp=(began + index * BETWEEN_EVENTS).timestamp(),
            content=_content(message, index),
        )


def _content(message: dict[str, Any], index: int) -> types.Content:
    """Return what was said, called or returned; call ids come from the position, recorded ones repeat."""
    if message["role"] == "tool":
        response = types.FunctionResponse(
            id=f"call-{index - 1}", name=message["name"], response={"result": message["content"]}
        )
        return types.Content(role="user", parts=[types.Part(function_response=response)])
    parts = [types.Part(text=message["content"])] if message["content"] else []
    for call in message.get("tool_calls") or []:
        function = call["function"]
        called = types.FunctionCall(id=f"call-{index}", name=function["name"], args=json.loads(function["arguments"]))
        parts.append(types.Part(function_call=called))
    return types.Content(role="user" if message["role"] == "user" else "model", parts=parts)

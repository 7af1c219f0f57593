"""The app's graphs as steps of a host's own graph, which has a checkpointer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypedDict

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from twofold.memory.errors import ExtractionFailed, ModelFailed
from twofold.memory.memories import FactChange, Memory
from twofold.memory.scope import Scope
from twofold.memory.steps import Turn
from twofold.nodes.plain import ScopeState
from twofold.nodes.write.state import EntryState, WriteInput
from twofold.testing import EchoExtractor, memory_app, test_models

ANNA = Scope(tenant_id="acme", user_id="anna")
SCOPE: ScopeState = {"tenant_id": "acme", "user_id": "anna"}
RUN: RunnableConfig = {"configurable": {"thread_id": "1"}}


class Chat(TypedDict):
    said: str


class DownOnce(EchoExtractor):
    """An extractor whose model cannot be reached at first."""

    tried = False

    async def extract(self, turns: Sequence[Turn], known: Sequence[Memory]) -> Sequence[FactChange]:
        if not self.tried:
            self.tried = True
            raise ModelFailed("HTTP 503")
        return await super().extract(turns, known)


async def test_a_save_that_failed_in_a_hosts_run_succeeds_when_that_is_resumed(database_url: str) -> None:
    """With the host's checkpointer it would go on from its own last node, and fail for ever."""
    kept = InMemorySaver()
    async with memory_app(database_url, models=replace(test_models(), facts=DownOnce())) as app:

        async def remember(state: Chat) -> None:
            session: WriteInput = {"scope": SCOPE, "session_id": "s", "entries": entries_of(state["said"])}
            await app.write.ainvoke(session)

        host = StateGraph(Chat).add_node("remember", remember).add_edge(START, "remember")
        run = host.add_edge("remember", END).compile(checkpointer=kept)
        with pytest.raises(ExtractionFailed, match="HTTP 503"):
            await run.ainvoke({"said": "My ledger is US Primary."}, RUN)
        assert (await run.aget_state(RUN)).next == ("remember",)
        await run.ainvoke(None, RUN)
        assert [fact.text for fact in await app.memories(ANNA, "semantic")] == ["My ledger is US Primary."]
    assert {checkpoint.config["configurable"]["checkpoint_ns"] for checkpoint in kept.list(RUN)} == {""}


def entries_of(said: str) -> list[EntryState]:
    """Return what was said, and an answer, as the graph takes them."""
    at = "2026-04-01T12:00:00Z"
    return [
        {"event_id": "1", "kind": "said", "author": "user", "at": at, "text": said},
        {"event_id": "2", "kind": "said", "author": "agent", "at": at, "text": "Noted."},
    ]

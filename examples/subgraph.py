"""The memory graphs as steps of a LangGraph app of your own, whose state knows nothing of memory.

Run `python examples/subgraph.py`: no key, no database to set up. A help desk answers from what it remembers and
remembers what was said. A memory that cannot be written is an error of the app's own run, which goes on from that
step when it is resumed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from operator import add
from typing import Annotated, TypedDict
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from twofold.app import MemoryApp
from twofold.clock import SystemClock
from twofold.graphs.read import ReadGraph
from twofold.graphs.write import WriteGraph, build_write
from twofold.memory.errors import ExtractionFailed, ModelFailed
from twofold.memory.memories import FactChange, Memory
from twofold.memory.ports import FactExtractor
from twofold.memory.steps import Turn
from twofold.nodes.plain import ScopeState
from twofold.nodes.write.state import EntryState, WriteInput
from twofold.settings import load_settings


class Message(TypedDict):
    """One message of a ticket."""

    by: str
    text: str
    at: str


class Ticket(TypedDict, total=False):
    """The state of the app: its own keys, and none of memory's."""

    person: str
    number: str
    messages: Annotated[list[Message], add]
    known: list[str]


Desk = CompiledStateGraph[Ticket, None, Ticket, Ticket]

ANNA = f"anna {uuid4()}"  # somebody new each time, so that this may be run again


def help_desk(read: ReadGraph, write: WriteGraph) -> Desk:
    """Return the app: look up → answer → remember, the first and the last by a memory graph."""

    async def look_up(state: Ticket) -> Ticket:
        asked = state["messages"][-1]["text"]
        found = await read.ainvoke({"scope": scope_of(state), "query": asked, "except_session": state["number"]})
        recall = found["recall"]
        return {"known": [memory["text"] for memory in (*recall["facts"], *recall["episodes"])]}

    async def answer(state: Ticket) -> Ticket:
        known = state["known"]
        asked = state["messages"][-1]["text"].endswith("?")
        text = f"As I remember: {known[0]}" if asked and known else "Noted."
        return {"messages": [message("desk", text)]}

    async def remember(state: Ticket) -> None:
        session: WriteInput = {
            "scope": scope_of(state),
            "session_id": state["number"],
            "entries": entries_of(state["messages"]),
        }
        await write.ainvoke(session)  # what it raises is this step's error: no failed save passes for a success

    desk = StateGraph(Ticket)
    desk.add_node("look_up", look_up)
    desk.add_node("answer", answer)
    desk.add_node("remember", remember)
    desk.add_edge(START, "look_up")
    desk.add_edge("look_up", "answer")
    desk.add_edge("answer", "remember")
    desk.add_edge("remember", END)
    return desk.compile(checkpointer=InMemorySaver())


def entries_of(messages: Sequence[Message]) -> list[EntryState]:
    """Return the messages as memory takes them, each under an id that stays the same."""
    return [
        {"event_id": str(position), "kind": "said", "author": said["by"], "text": said["text"], "at": said["at"]}
        for position, said in enumerate(messages)
    ]


def scope_of(ticket: Ticket) -> ScopeState:
    """Return whose memory it is: this person's, at this help desk."""
    return {"tenant_id": "help_desk", "user_id": ticket["person"]}


def message(by: str, text: str) -> Message:
    """Return a message said now."""
    return {"by": by, "text": text, "at": SystemClock().now().isoformat()}


class OutOfOrderOnce:
    """An extractor whose model cannot be reached at first."""

    name = "out of order once"

    def __init__(self, facts: FactExtractor) -> None:
        """Take the extractor that works from the second attempt on."""
        self._facts = facts
        self._tried = False

    async def extract(self, turns: Sequence[Turn], known: Sequence[Memory]) -> Sequence[FactChange]:
        """Fail once. Raises ModelFailed."""
        if not self._tried:
            self._tried = True
            raise ModelFailed("HTTP 503")
        return await self._facts.extract(turns, known)


async def main() -> None:
    """Tell the desk something, ask for it in another ticket, and see what a memory that fails does."""
    async with MemoryApp.open(load_settings()) as memory:
        desk = help_desk(memory.read, memory.write)
        await say(desk, "1", "I work with the US Primary Ledger.")
        await say(desk, "2", "Which ledger do I work with?")

        ports = replace(memory.write_ports, facts=OutOfOrderOnce(memory.write_ports.facts))
        # Without the app's checkpointer: a save is run anew as a whole, and what was extracted for it is kept.
        desk = help_desk(memory.read, build_write(ports).compile(checkpointer=False))
        try:
            await say(desk, "3", "My company is 1000.")
        except ExtractionFailed as error:
            print(f"3: {type(error).__name__}, still to do: {', '.join((await desk.aget_state(run('3'))).next)}")
        await desk.ainvoke(None, run("3"))  # only what is still to do
        await say(desk, "4", "Which company is mine?")


async def say(desk: Desk, number: str, text: str) -> None:
    """Say something in a ticket and print the answer."""
    ticket: Ticket = {"person": ANNA, "number": number, "messages": [message("user", text)]}
    answered = await desk.ainvoke(ticket, run(number))
    print(f"{number}: {answered['messages'][-1]['text']}")


def run(number: str) -> RunnableConfig:
    """Return which run of the app a ticket is."""
    return {"configurable": {"thread_id": number}}


if __name__ == "__main__":
    asyncio.run(main())

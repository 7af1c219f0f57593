"""The memory graphs of a running LangGraph server, from any LangGraph app.

Run `langgraph dev --no-browser` in the project's folder, then `python examples/remote_graph.py`; another server's
address is its argument. A server on which nothing is set up serves the local user, from this machine. One with
TWOFOLD_SERVICE_KEYS wants one of them, in TWOFOLD_SERVER_KEY, and is told whose memory it is.
"""

from __future__ import annotations

import asyncio
import sys
from typing import TypedDict
from uuid import uuid4

import httpx
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel.remote import RemoteException, RemoteGraph

from twofold.clock import SystemClock
from twofold.settings import load_settings
from twofold.wire import TENANT_HEADER, USER_HEADER


class Question(TypedDict, total=False):
    """The state of the app: its own keys, and none of memory's."""

    text: str
    known: list[str]
    answer: str


Desk = CompiledStateGraph[Question, None, Question, Question]


def help_desk(memory_read: RemoteGraph) -> Desk:
    """Return an app that answers from what a server remembers."""

    async def look_up(state: Question) -> Question:
        # Without the app's config: its thread is none of the server's.
        found = await memory_read.ainvoke({"query": state["text"]})
        return {"known": [fact["text"] for fact in found["recall"]["facts"]]}

    async def answer(state: Question) -> Question:
        return {"answer": f"As I remember: {state['known'][0]}" if state["known"] else "I don't know."}

    desk = StateGraph(Question)
    desk.add_node("look_up", look_up)
    desk.add_node("answer", answer)
    desk.add_edge(START, "look_up")
    desk.add_edge("look_up", "answer")
    desk.add_edge("answer", END)
    return desk.compile()


def headers_for(user: str) -> dict[str, str]:
    """Return who asks, and for whom; nothing without a service key, when the server serves the local user."""
    key = load_settings().server_key
    if key is None:
        return {}
    # Percent-encoded, where they hold more than letters and digits.
    return {"Authorization": f"Bearer {key.get_secret_value()}", TENANT_HEADER: "help_desk", USER_HEADER: user}


async def main(url: str) -> None:
    """Have something remembered, and ask for it."""
    headers = headers_for("anna")
    write = RemoteGraph("memory_write", url=url, headers=headers)
    read = RemoteGraph("memory_read", url=url, headers=headers)
    ticket, now = str(uuid4()), SystemClock().now().isoformat()
    said = {"event_id": "1", "kind": "said", "author": "user", "at": now, "text": "I work with the US Primary Ledger."}
    told = {"event_id": "2", "kind": "said", "author": "desk", "at": now, "text": "Noted."}
    stored = await write.ainvoke({"session_id": ticket, "entries": [said, told]})
    print(f"stored: {', '.join(change['action'] for change in stored['saved'])}")
    asked = await help_desk(read).ainvoke({"text": "Which ledger do I work with?"})
    print(asked["answer"])
    try:
        await write.ainvoke({"session_id": ticket, "entries": "none"})
    except RemoteException as error:
        print(f"refused: {kind_of(error)} - the reason is in the server's log; the routes of /memory answer with it")


def kind_of(error: RemoteException) -> str:
    """Return the class of the error: a LangGraph server tells no more of it than that."""
    told = error.args[0] if error.args else None
    return str(told.get("error")) if isinstance(told, dict) else str(error)


if __name__ == "__main__":
    server = next(iter(sys.argv[1:]), "http://127.0.0.1:2024")
    try:
        asyncio.run(main(server))
    except httpx.ConnectError:
        sys.exit(f"Nothing answers at {server}: start `langgraph dev --no-browser` first")

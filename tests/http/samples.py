"""What these tests send, and what they read of an answer."""

from collections.abc import Sequence
from typing import Any

import httpx

NOON = "2026-03-01T12:00:00Z"


def said(event_id: str, text: str, *, author: str = "user", at: str = NOON, **more: Any) -> dict[str, Any]:
    return {"event_id": event_id, "kind": "said", "author": author, "at": at, "text": text, **more}


def session(session_id: str, *entries: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"session_id": session_id, "entries": list(entries), **more}


async def add(client: httpx.AsyncClient, *texts: str, at: str = NOON) -> list[str]:
    """Store facts; return their keys."""
    memories = [{"text": text, "at": at} for text in texts]
    answer = await client.post("/memory", json={"memories": memories})
    assert answer.status_code == 201, answer.text
    return [item["key"] for item in answer.json()["stored"]]


async def texts(client: httpx.AsyncClient, **parameters: Any) -> list[str]:
    """Return the texts of a page."""
    answer = await client.get("/memory", params=parameters)
    assert answer.status_code == 200, answer.text
    return texts_of(answer.json()["memories"])


def texts_of(memories: Sequence[dict[str, Any]]) -> list[str]:
    return [memory["text"] for memory in memories]


def problem(answer: httpx.Response, status: int) -> dict[str, Any]:
    """Return the problem of an answer of that status."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    told: dict[str, Any] = answer.json()
    assert told["status"] == status
    assert told["title"]
    assert told["detail"]
    return told

"""What the write graph takes, carries and returns. Plain JSON only."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from twofold.nodes.plain import ScopeState


class WriteInput(TypedDict):
    """One session, whole or in part."""

    scope: NotRequired[
        Annotated[ScopeState, Field(description="Whose memory it is; left out where the server binds it.")]
    ]
    session_id: Annotated[str, Field(description="The session the entries belong to.")]
    entries: Annotated[
        list[dict[str, Any]],
        Field(description="The session's entries in order of time; see `twofold.memory.transcript.Entry`."),
    ]


class PartResult(TypedDict, total=False):
    """What one extract node found, or why it could not."""

    changes: list[dict[str, Any]]
    words: dict[str, Any]
    model: str
    failure: str


class WriteOutput(TypedDict, total=False):
    """What was stored, or why there was nothing to store."""

    saved: Annotated[list[dict[str, Any]], Field(description="One item per change: action, kind and key.")]
    skipped: Annotated[str, Field(description="Why nothing was extracted; empty when something was.")]


class WriteState(WriteInput):
    """The state between the nodes."""

    generation: NotRequired[int]
    turns: NotRequired[list[dict[str, Any]]]
    episode: NotRequired[dict[str, Any] | None]
    semantic: NotRequired[PartResult]
    episodic: NotRequired[PartResult]
    saved: NotRequired[list[dict[str, Any]]]
    skipped: NotRequired[str]

"""What the write graph takes, carries and returns. Plain JSON only."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from twofold.memory.transcript import Awaiting, EntryKind
from twofold.nodes.plain import ScopeState


class EntryState(TypedDict):
    """One part of one event of a session: what was said, or one side of a tool call."""

    event_id: Annotated[str, Field(description="The event it is a part of; with `part` it names the entry.")]
    part: NotRequired[Annotated[int, Field(description="Which part of the event it is, from 0.")]]
    kind: Annotated[
        EntryKind,
        Field(
            description="What it is: something said; a tool that was called, returned or failed; the user's answer to"
            " a confirmation or a form; a rewind."
        ),
    ]
    author: Annotated[str, Field(description="`user`, or the agent's name.")]
    at: Annotated[str, Field(description="When, as 2026-04-01T12:00:00Z.", json_schema_extra={"format": "date-time"})]
    invocation_id: NotRequired[Annotated[str, Field(description="The invocation of the agent it belongs to.")]]
    branch: NotRequired[Annotated[str, Field(description="The branch of agents it came from.")]]
    text: NotRequired[Annotated[str, Field(description="What was said; of a failure, its message.")]]
    tool: NotRequired[Annotated[str, Field(description="The tool's name.")]]
    call_id: NotRequired[
        Annotated[str | None, Field(description="What joins a call with its response, confirmation or form.")]
    ]
    payload: NotRequired[
        Annotated[Any, Field(description="The arguments of a call, the response of a tool, or the user's answer.")]
    ]
    error: NotRequired[Annotated[str, Field(description="The code or class of a failure.")]]
    long_running: NotRequired[Annotated[bool, Field(description="Whether the tool answers in a later run.")]]
    awaiting: NotRequired[Annotated[Awaiting, Field(description="What the tool waits for, empty for nothing.")]]
    seconds: NotRequired[Annotated[float | None, Field(description="How long the call took, if it was measured.")]]
    rewinds_to: NotRequired[
        Annotated[str, Field(description="Of a rewind: the invocation that was undone with all that followed.")]
    ]
    rewinds_since: NotRequired[
        Annotated[
            str | None,
            Field(
                description="Of a rewind: when that invocation began, as 2026-04-01T12:00:00Z; it counts where"
                " none of it is among the entries.",
                json_schema_extra={"format": "date-time"},
            ),
        ]
    ]
    thought: NotRequired[Annotated[bool, Field(description="Whether it is a thought of the model: left out.")]]
    partial: NotRequired[Annotated[bool, Field(description="Whether a whole event follows: left out.")]]
    chunk: NotRequired[
        Annotated[bool, Field(description="Whether the next entry of this author goes on in mid-sentence.")]
    ]


class WriteInput(TypedDict):
    """One session, whole or in part."""

    scope: NotRequired[
        Annotated[ScopeState, Field(description="Whose memory it is; left out where the server binds it.")]
    ]
    session_id: Annotated[str, Field(description="The session the entries belong to.")]
    entries: Annotated[
        list[EntryState],
        Field(description="The session's entries in order of time, at most 50,000."),
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
    retracted: NotRequired[list[dict[str, Any]]]
    semantic: NotRequired[PartResult]
    episodic: NotRequired[PartResult]
    saved: NotRequired[list[dict[str, Any]]]
    skipped: NotRequired[str]

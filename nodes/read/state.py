"""What the read graph takes, carries and returns. Plain JSON only, and no vectors."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from twofold.nodes.plain import ScopeState


class ReadInput(TypedDict):
    """One question to a person's memory."""

    scope: NotRequired[
        Annotated[ScopeState, Field(description="Whose memory it is; left out where the server binds it.")]
    ]
    query: Annotated[str, Field(description="What to look for, in words; a blank query finds nothing.")]
    except_session: NotRequired[
        Annotated[str | None, Field(description="Leave out memories that come from this session only.")]
    ]


class RecallState(TypedDict):
    """What was recalled, newest first."""

    facts: Annotated[list[dict[str, Any]], Field(description="At most 6 facts.")]
    episodes: Annotated[list[dict[str, Any]], Field(description="At most 4 episodes.")]


class ReadOutput(TypedDict):
    """The recall."""

    recall: RecallState


class ReadState(ReadInput):
    """The state between the nodes."""

    found_semantic: NotRequired[list[dict[str, Any]]]
    found_episodic: NotRequired[list[dict[str, Any]]]
    recall: NotRequired[RecallState]

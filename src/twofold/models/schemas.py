"""What a model may answer about facts: LangMem makes a tool of each class."""

from __future__ import annotations

from pydantic import BaseModel, Field

from twofold.models.told import ModelText

# About 300 tokens.
_LONGEST_FACT = 1_000


class Memory(BaseModel):
    """Record one new fact about the user. Call it once for each fact, all in one reply."""

    content: ModelText = Field(
        min_length=1,
        max_length=_LONGEST_FACT,
        description="The fact: one short, complete statement in plain business language.",
    )
    event_ids: list[str] = Field(
        default_factory=list,
        description='Ids of the user lines the fact comes from, such as "e1".',
    )


class NothingToRemember(BaseModel):
    """Say that the conversation holds no new, changed or withdrawn fact."""


SCHEMAS = (Memory, NothingToRemember)

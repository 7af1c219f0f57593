"""What went wrong, as a body."""

from __future__ import annotations

from pydantic import BaseModel, Field

PROBLEM_TYPE = "urn:twofold:problem:"
"""What the `type` of a problem begins with; the name of a class of `memory/errors.py` follows."""


class Problem(BaseModel):
    """What went wrong, as RFC 9457 words it."""

    type: str = Field(default="about:blank", description="The class of error.")
    title: str = Field(description="The kind of problem in short.")
    status: int
    detail: str = Field(description="What happened and what to do.")
    field: str | None = Field(default=None, description="The field that cannot be used.")
    limit: str | None = Field(default=None, description="What the field may be.")

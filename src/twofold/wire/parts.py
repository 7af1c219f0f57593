"""What bodies are made of: limits, headers, ids and times."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from twofold.memory.times import FIRST_YEAR, LAST_YEAR, is_tellable, told

MOST_ENTRIES = 50_000
MOST_TEXTS = 1_000
MOST_QUERY = 100_000
LONGEST_TEXT = 10_000
LONGEST_ID = 2_000
MOST_ON_A_PAGE = 200
LONGEST_WAIT = 30.0
LARGEST_REVISION = 2**31 - 1

TENANT_HEADER = "X-Twofold-Tenant"
USER_HEADER = "X-Twofold-User"
"""Whom a service acts for, each percent-encoded UTF-8."""

UNTELLABLE = "year_out_of_bounds"
NO_TIME = "datetime_no_text"


_WRITTEN_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]")


def is_written_time(time: object) -> bool:
    """Whether a time is written out: pydantic would take a number for seconds since 1970."""
    return isinstance(time, datetime) or (isinstance(time, str) and _WRITTEN_TIME.match(time) is not None)


def _written(time: object) -> object:
    if not is_written_time(time):
        raise PydanticCustomError(NO_TIME, "a time with its zone, as a text")
    return time


def _tellable(time: datetime) -> datetime:
    if not is_tellable(time):
        raise PydanticCustomError(UNTELLABLE, f"of the years {FIRST_YEAR} to {LAST_YEAR}")
    return told(time)


Time = Annotated[AwareDatetime, BeforeValidator(_written), AfterValidator(_tellable)]
SessionId = Annotated[
    str,
    Field(
        min_length=1,
        max_length=LONGEST_ID,
        description="The session's id. One that begins with `~` or is no valid Unicode is given as it is in a URL:"
        " `~` and its UTF-8 as base64url; any other may be.",
    ),
]


class Body(BaseModel):
    """A body with exactly the fields that are named."""

    model_config = ConfigDict(extra="forbid", frozen=True)

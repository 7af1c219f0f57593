"""Step 1 of `memory_read`: refuse what cannot be used, bound what can."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from twofold.memory.clean import clean_text
from twofold.memory.errors import InvalidInput
from twofold.memory.scope import Scope
from twofold.nodes.plain import ScopeState, checked_scope
from twofold.nodes.read.state import ReadInput, RecallState

MAX_QUERY = 4_000


class Validated(TypedDict):
    """The input, checked and bounded; with the empty recall when there is nothing to look for."""

    scope: ScopeState
    query: str
    except_session: str | None
    recall: NotRequired[RecallState]


async def validate(state: ReadInput, *, bound: Scope | None = None) -> Validated:
    """Check every field; keep the last 4,000 characters of a longer query, where a message says what it wants.

    Raises InvalidInput naming the field.
    """
    query = state.get("query")
    if not isinstance(query, str):
        raise InvalidInput(f"query: expected a text, not {type(query).__name__}")
    session = state.get("except_session")
    if session is not None and not isinstance(session, str):
        raise InvalidInput(f"except_session: expected a text, not {type(session).__name__}")
    valid: Validated = {
        "scope": checked_scope(state.get("scope"), bound),
        "query": clean_text(query).strip()[-MAX_QUERY:],
        "except_session": session,
    }
    if not valid["query"]:
        valid["recall"] = {"facts": [], "episodes": []}
    return valid

"""Between the values of `memory/` and the plain JSON that graph state holds."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from twofold.memory.errors import InvalidInput
from twofold.memory.memories import Applied, FactChange, Memory, Retraction
from twofold.memory.scope import Scope
from twofold.memory.steps import Episode, EpisodeWords, Turn
from twofold.memory.transcript import Entry

ENTRIES: TypeAdapter[tuple[Entry, ...]] = TypeAdapter(tuple[Entry, ...])
TURNS: TypeAdapter[tuple[Turn, ...]] = TypeAdapter(tuple[Turn, ...])
EPISODE: TypeAdapter[Episode | None] = TypeAdapter(Episode | None)
FACT_CHANGES: TypeAdapter[tuple[FactChange, ...]] = TypeAdapter(tuple[FactChange, ...])
RETRACTIONS: TypeAdapter[tuple[Retraction, ...]] = TypeAdapter(tuple[Retraction, ...])
WORDS: TypeAdapter[EpisodeWords] = TypeAdapter(EpisodeWords)
APPLIED: TypeAdapter[tuple[Applied, ...]] = TypeAdapter(tuple[Applied, ...])
MEMORIES: TypeAdapter[tuple[Memory, ...]] = TypeAdapter(tuple[Memory, ...])


class ScopeState(TypedDict):
    """A scope in graph state."""

    tenant_id: Annotated[str, Field(description="The tenant, for ADK agents the app name unless mapped.")]
    user_id: Annotated[str, Field(description="The person whose memory it is.")]


def plain(adapter: TypeAdapter[Any], value: object) -> Any:
    """Return `value` as plain JSON, as graph state and checkpoints hold it.

    An entry goes without the fields that say nothing: most do, and state is kept for each step of a thread.
    """
    return adapter.dump_python(value, mode="json", exclude_defaults=adapter is ENTRIES)


def scope_of(state: ScopeState) -> Scope:
    """Return the scope of a graph run."""
    return Scope(tenant_id=state["tenant_id"], user_id=state["user_id"])


def checked_scope(given: object, bound: Scope | None) -> ScopeState:
    """Return the scope of a graph run: the bound one, which an input may repeat but not change, else the input's.

    Raises InvalidInput naming what is wrong with it.
    """
    if given is None and bound is not None:
        return ScopeState(tenant_id=bound.tenant_id, user_id=bound.user_id)
    if not isinstance(given, dict):
        raise InvalidInput(f"scope: expected an object with tenant_id and user_id, not {type(given).__name__}")
    for name in ("tenant_id", "user_id"):
        if not isinstance(given.get(name), str):
            raise InvalidInput(f"scope.{name}: expected a text, not {type(given.get(name)).__name__}")
    scope = ScopeState(tenant_id=given["tenant_id"], user_id=given["user_id"])
    if bound is not None and scope_of(scope) != bound:
        raise InvalidInput("scope: this graph is bound to another scope; leave the field out")
    return scope


def checked_entries(given: object, *, limit: int) -> tuple[Entry, ...]:
    """Return the entries of an input, or raise InvalidInput naming the first field that cannot be used."""
    if not isinstance(given, list | tuple):
        raise InvalidInput(f"entries: expected a list, not {type(given).__name__}")
    if len(given) > limit:
        raise InvalidInput(f"entries: {len(given)} are more than the limit of {limit}; hand the session over in parts")
    try:
        return ENTRIES.validate_python(given)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"])
        raise InvalidInput(f"entries{where}: {first['msg']}") from None

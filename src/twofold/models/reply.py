"""The audit of a model's raw reply, because LangMem drops what it cannot read and reports success."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from langchain_core.messages import AIMessage, ToolCall
from pydantic import BaseModel, ConfigDict, Json, StrictStr, ValidationError

from twofold.memory.jsontypes import JsonObject

_LONGEST_NAME = 40
_CUT_SHORT = {"length", "content_filter", "incomplete"}


class _Edit(BaseModel):
    """One JSON Patch operation, as trustcall applies it."""

    op: Literal["add", "remove", "replace"]
    path: StrictStr
    value: Any = None


class _Patch(BaseModel):
    """The arguments of PatchDoc that matter; some models send the list as a JSON text, and trustcall reads it."""

    json_doc_id: StrictStr
    patches: list[_Edit] | Json[list[_Edit]]


class _Removal(BaseModel):
    model_config = ConfigDict(extra="forbid")

    json_doc_id: StrictStr


def reply_problems(
    replies: Sequence[AIMessage],
    *,
    schemas: Sequence[type[BaseModel]],
    known: Mapping[str, JsonObject],
    documents: Mapping[str, object],
) -> list[str]:
    """Return every reason not to use `replies`; an empty list means that nothing was lost on the way.

    `schemas` are the tools for new documents, `known` the documents the model was shown by id, `documents`
    what LangMem returned by id. No reply, no tool call and half a reply are problems too.
    """
    problems = [problem for reply in replies for problem in _form(reply)]
    calls = [call for reply in replies for call in reply.tool_calls]
    if not calls and not problems:
        problems.append("it calls no tool")
    tools = {schema.__name__: schema for schema in schemas}
    if known:
        tools |= {"PatchDoc": _Patch, "RemoveDoc": _Removal}
    for call in calls:
        problems.extend(_arguments(call, tools))
    return problems or list(_targets(calls, known, documents))


def _form(reply: AIMessage) -> Iterator[str]:
    reason = reply.response_metadata.get("finish_reason") or reply.response_metadata.get("status")
    if reason in _CUT_SHORT:
        yield f"it was cut short ({reason})"
    for call in reply.invalid_tool_calls:
        yield f"the arguments of {_named(call['name'])} are no JSON object"


def _arguments(call: ToolCall, tools: Mapping[str, type[BaseModel]]) -> Iterator[str]:
    schema = tools.get(call["name"])
    if schema is None:
        yield f"there is no tool {_named(call['name'])}"
        return
    try:
        schema.model_validate(call["args"])
    except ValidationError as error:
        for each in error.errors(include_url=False, include_input=False):
            where = ".".join(map(str, each["loc"]))[:_LONGEST_NAME] or "arguments"
            yield f"{call['name']}: {where}: {each['msg']}"


def _targets(
    calls: Sequence[ToolCall], known: Mapping[str, JsonObject], documents: Mapping[str, object]
) -> Iterator[str]:
    """Yield what is wrong with the documents that valid calls name."""
    if known and len({call["id"] for call in calls}) < len(calls):
        # trustcall finds a patched document by the call's id, and would write a new one over it.
        yield "two of its calls have the same id"
    seen: set[str] = set()
    for call in calls:
        if call["name"] not in {"PatchDoc", "RemoveDoc"} or not known:
            continue
        target = call["args"]["json_doc_id"]
        if target not in known:
            yield f"{call['name']} names {_named(target)}, which does not exist"
        elif target in seen:
            # LangMem keeps the last of two changes and loses the other.
            yield f"{target!r} is changed twice"
        elif call["name"] == "PatchDoc" and _without_effect(call, known[target], documents.get(target)):
            yield f"PatchDoc for {target!r} changes nothing"
        seen.add(target)


def _named(name: object) -> str:
    """Return a name that a model made up, cut: it may be anything, and ends in a cause that is kept."""
    return repr(str(name)[:_LONGEST_NAME])


def _without_effect(call: ToolCall, before: JsonObject, after: object) -> bool:
    """Return whether a patch that asks for something left the document as it was: trustcall dropped it."""
    edits = _Patch.model_validate(call["args"]).patches
    asked = [edit for edit in edits if before.get(edit.path.removeprefix("/")) != edit.value]
    if not asked:
        return False
    now = after.model_dump(mode="json") if isinstance(after, BaseModel) else after
    return now is None or now == before

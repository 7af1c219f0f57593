"""A model without a model: it follows a script and may only quote what stands in its request.

It stands in for a real model in the demo and the tests, so that an answer proves what the request carried:
there is no answer in this file. Give an agent `model="gemini-…"` instead, and the rest stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import PrivateAttr

UNKNOWN = "I don't know."
FREE = types.GenerateContentResponseUsageMetadata(prompt_token_count=0, candidates_token_count=0)
BLOCK = re.compile(r"<PAST_CONVERSATIONS>\n(.*?)\n</PAST_CONVERSATIONS>", re.DOTALL)
MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"

LEAST_LETTERS = 4

# How the value of a tool's parameter is written in a conversation.
VALUES = {
    "ledger": re.compile(r"\b((?:[A-Z]\w* )+Ledger)\b"),
    "period": re.compile(rf"\b((?:{MONTHS}) \d{{4}})\b"),
    "asset_book": re.compile(r"\b(\w+) asset book\b"),
    "query": re.compile(r"(?s)(.+)"),
}

# Which tools a message calls for, in order: the first word found in it decides.
CLOSING = {"close": ("check_subledgers", "run_depreciation", "close_period")}


class ScriptedModel(BaseLlm):
    """Calls the tools that `scripts` names for a message; answers a question with a line of its request."""

    model: str = "scripted"
    scripts: Mapping[str, tuple[str, ...]] = CLOSING
    _requests: list[LlmRequest] = PrivateAttr(default_factory=list)

    @property
    def requests(self) -> list[LlmRequest]:
        """Every request so far, as it arrived."""
        return self._requests

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: FBT001, FBT002 - ADK's signature
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield the one reply the request calls for."""
        del stream
        self._requests.append(llm_request.model_copy(deep=True))
        content = types.Content(role="model", parts=[reply(llm_request, self.scripts)])
        yield LlmResponse(content=content, usage_metadata=FREE)


def reply(request: LlmRequest, scripts: Mapping[str, tuple[str, ...]]) -> types.Part:
    """Return the next tool call, a quotation, or an admission that the request does not say."""
    said, done = said_last(request), responses(request)
    question = said.rstrip().endswith("?")
    # "Why did the close fail?" asks about a close, it does not ask for one.
    key = "?" if question else next((word for word in scripts if word in said.lower()), "")
    script = scripts.get(key, ())
    failed = (done[-1].response or {}).get("error") if done else None
    if failed:
        return types.Part(text=f"{done[-1].name} failed: {failed}.")
    if len(done) < len(script):
        return _call(request, script[len(done)])
    if question:
        return types.Part(text=quotation(said, remembered(request)))
    return types.Part(text=f"Done: {', '.join(script)}." if script else "Noted.")


def said_last(request: LlmRequest) -> str:
    """Return the user's newest message."""
    return next((text for text in reversed(list(_texts(request))) if not BLOCK.search(text)), "")


def remembered(request: LlmRequest) -> str:
    """Return what stands in the memory block and in what the tools of this turn returned."""
    blocks = [match.group(1) for match in map(BLOCK.search, _texts(request)) if match]
    return "\n".join((*blocks, *_strings([response.response for response in responses(request)])))


def quotation(question: str, memory: str) -> str:
    """Return the remembered line that shares most words with the question; for a "why", one with a reason."""
    asked = _words(question)
    lines = [line.strip() for line in memory.splitlines()]
    if "why" in asked:
        lines = [line for line in lines if "FAILURE: " in line]
    best = max(lines, key=lambda line: _shared(asked, line), default="")
    return f"I remember: {best}" if _shared(asked, best) else UNKNOWN


def responses(request: LlmRequest) -> list[types.FunctionResponse]:
    """Return what tools returned since the user's newest message."""
    found: list[types.FunctionResponse] = []
    for part in (part for content in request.contents for part in content.parts or []):
        if part.function_response:
            found.append(part.function_response)
        elif part.text and not BLOCK.search(part.text):
            found.clear()
    return found


def _call(request: LlmRequest, tool: str) -> types.Part:
    args = {name: _value(request, name) for name in _parameters(request, tool)}
    missing = [name.replace("_", " ") for name, value in args.items() if value is None]
    if missing:
        return types.Part(text=f"Which {missing[0]} is it?")
    return types.Part(function_call=types.FunctionCall(name=tool, args=args))


def _parameters(request: LlmRequest, tool: str) -> list[str]:
    declaration = request.tools_dict[tool]._get_declaration()  # noqa: SLF001 - what ADK shows a real model
    if declaration is None:
        return []
    if declaration.parameters is not None:
        return list(declaration.parameters.properties or {})
    return list((declaration.parameters_json_schema or {}).get("properties", {}))


def _value(request: LlmRequest, name: str) -> str | None:
    """Return a parameter's value as the newest message, earlier ones or the memory state it."""
    texts = [text for text in _texts(request) if not BLOCK.search(text)]
    for text in (*reversed(texts), remembered(request)):
        match = VALUES[name].search(text)
        if match:
            return match.group(1)
    return None


def _texts(request: LlmRequest) -> Iterator[str]:
    for content in request.contents:
        if content.role == "user":
            yield from (part.text for part in content.parts or [] if part.text)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from _strings(item)


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", text.lower()))


def _shared(asked: set[str], line: str) -> int:
    """Count the question's words that begin a word of the line; short ones say nothing."""
    there = _words(line)
    return sum(any(word.startswith(asking) for word in there) for asking in asked if len(asking) >= LEAST_LETTERS)

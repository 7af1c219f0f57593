"""What the OpenAI double says: scripted replies, faults, and what it makes of a conversation by itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from twofold.memory.assent import says_nothing

EMBEDDINGS = "embeddings"

_SHORT = 60

_USER_LINE = re.compile(r"^\[(e\d+) [\d-]+ [\d:]+\] user: (.+)$", re.MULTILINE)
_SESSION = re.compile(r"<session_[^>]*>(.*)</session_", re.DOTALL)
_BANNER = re.compile(r"^=+[^=]*=+$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One scripted reply: tool calls, a text, or a fault. Without any of them the double answers by itself.

    `calls` pairs a tool's name with its arguments, or with a text to send in their place. `seconds` is how
    long the reply is held back, `raw` replaces the whole body, and `dropped` closes the connection without a word.
    """

    calls: Sequence[tuple[str, object]] | None = None
    text: str = ""
    finish: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    raw: bytes | None = None
    dropped: bool = False

    @classmethod
    def tools(cls, *calls: tuple[str, object]) -> Reply:
        """Call these tools, in one message."""
        return cls(calls=calls)

    @classmethod
    def says(cls, text: str) -> Reply:
        """Answer with text and call no tool."""
        return cls(text=text)

    @classmethod
    def cut_short(cls, *calls: tuple[str, object]) -> Reply:
        """Call these tools and stop at the token limit."""
        return cls(calls=calls, finish="length")

    @classmethod
    def malformed(cls, tool: str) -> Reply:
        """Call `tool` with arguments that are no JSON."""
        return cls(calls=[(tool, '{"content": "half of a')])

    @classmethod
    def rate_limited(cls, *, retry_after: float = 0.01) -> Reply:
        """Answer 429; the client should wait so many seconds."""
        return cls(status=429, headers={"Retry-After": f"{retry_after:g}"}, text="rate limit reached")

    @classmethod
    def error(cls, status: int, text: str = "") -> Reply:
        """Answer with an HTTP error, which a client need not wait to try again."""
        return cls(status=status, text=text, headers={"Retry-After-Ms": "1"})

    @classmethod
    def hangs(cls, seconds: float) -> Reply:
        """Answer so many seconds late, or when the double closes."""
        return cls(seconds=seconds)

    @classmethod
    def drops(cls) -> Reply:
        """Close the connection and answer nothing."""
        return cls(dropped=True)

    @classmethod
    def json(cls, body: object) -> Reply:
        """Answer 200 with this body."""
        return cls(raw=json.dumps(body).encode())

    @classmethod
    def not_json(cls) -> Reply:
        """Answer 200 with the page of some gateway."""
        return cls(raw=b"<html>busy</html>")


def default_calls(tools: Sequence[Mapping[str, Any]], text: str) -> list[tuple[str, object]]:
    """Return the calls the double makes by itself: one `Memory` a new user line that says something.

    Else the first tool, filled.
    """
    schemas = {tool["function"]["name"]: tool["function"].get("parameters", {}) for tool in tools}
    if "Memory" in schemas:
        return list(_memories(schemas, text))
    return [(name, _filled(schema, _session(text))) for name, schema in list(schemas.items())[:1]]


def _memories(schemas: Mapping[str, object], text: str) -> Iterator[tuple[str, object]]:
    known = text[: text.find("<session_")]
    new = [(each, said) for each, said in _USER_LINE.findall(text) if said not in known and not says_nothing(said)]
    for each, said in new:
        yield "Memory", {"content": said, "event_ids": [each]}
    if not new and "NothingToRemember" in schemas:
        yield "NothingToRemember", {}


def _filled(schema: Mapping[str, Any], session: str) -> dict[str, object]:
    """Fill the required fields: a choice with the option named last, a text with the first line."""
    first = next((line.strip() for line in session.splitlines() if line.strip()), "nothing")
    filled: dict[str, object] = {}
    for name in schema.get("required", ()):
        options = schema["properties"][name].get("enum")
        filled[name] = max(options, key=session.casefold().rfind) if options else _short(first)
    return filled


def _short(line: str) -> str:
    return line if len(line) <= _SHORT else line[:_SHORT].rpartition(" ")[0] or line[:_SHORT]


def _session(text: str) -> str:
    found = _SESSION.search(text)
    return _BANNER.sub("", found[1] if found else text)

"""Why a tool failed, in one line, out of whatever it returned."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from twofold.memory.jsontypes import Json, JsonObject
from twofold.memory.wording import compact, one_line

LONGEST_REASON = 200

_KEYS = ("error_message", "error_details", "message", "reason", "detail", "error_code", "stderr", "error")
_TRACEBACK = re.compile(r"^\s*Traceback \(most recent call last\)", re.MULTILINE)
# What ADK tells the model around the error proper: before it (REST tools) and after it (argument checks,
# tool names the model made up).
_PREAMBLE = re.compile(r"^.*?\bExecution Error:", re.DOTALL)
_ADVICE = re.compile(
    r"\s*(?:You could retry\b|The tools you can call are\b|Available tools:|Possible causes:).*", re.DOTALL
)


def reason_in(response: JsonObject) -> str:
    """Return the reason a response gives, "" if none.

    It is what stands under the first of error_message, error_details, message, reason, detail, error_code,
    stderr and error that says anything.
    """
    return next((reason for key in _KEYS if (reason := explained(response.get(key)))), "")


def explained(value: Json) -> str:
    """Return what a value says, in one line: its text, its own message, or the texts of its members.

    ADK's advice to the model is left out; a traceback is its last line.
    """
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, str):
        return _trimmed(value)
    if isinstance(value, Mapping):
        said = (explained(value.get(key)) for key in ("text", "msg", *_KEYS))
        return next(filter(None, said), "") or one_line(compact(value), LONGEST_REASON)
    if isinstance(value, Sequence):
        return one_line("; ".join(filter(None, map(explained, value))), LONGEST_REASON)
    return str(value)


def _trimmed(text: str) -> str:
    if _TRACEBACK.search(text):
        text = text.strip().rpartition("\n")[2]
    return one_line(_ADVICE.sub("", _PREAMBLE.sub("", text)), LONGEST_REASON)

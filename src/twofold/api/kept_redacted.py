"""What a LangGraph server is about to keep of a run or a schedule: without secrets, without another's identity."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from twofold.memory.redaction import DEFAULT, Redactor

_AS_A_WHOLE = ("metadata", "payload")
_IN_PARTS = ("input", "command", "config", "context")
_IDENTITY = "langgraph_auth_"


async def redact_kept(value: dict[str, Any], redactor: Redactor = DEFAULT) -> None:
    """Redact, in place, the metadata, the arguments of a run and the payload of a schedule.

    On a thread, since an input may be large.
    """
    await asyncio.to_thread(_redact, value, redactor)


def drop_identities(payload: object) -> None:
    """Drop, in place, whom a schedule says it is for: a scheduled run believes that before its own user."""
    config = payload.get("config") if isinstance(payload, dict) else None
    configurable = config.get("configurable") if isinstance(config, dict) else None
    if isinstance(configurable, dict):
        for name in [name for name in configurable if name.startswith(_IDENTITY)]:
            del configurable[name]


def _redact(value: dict[str, Any], redactor: Redactor) -> None:
    _replace(value, _AS_A_WHOLE, redactor)
    arguments = value.get("kwargs")
    if isinstance(arguments, dict):
        _replace(arguments, _IN_PARTS, redactor)


def _replace(holder: dict[str, Any], names: Iterable[str], redactor: Redactor) -> None:
    """Put redacted parts in the place of what they are made of; the server goes on with the dicts it handed over."""
    for name in names:
        before = holder.get(name)
        after: Any = redactor.json(before)
        if isinstance(before, dict):
            before.clear()
            before.update(after)
        elif name in holder:
            holder[name] = after

"""What a LangGraph server is about to keep is redacted in place, as the policy says."""

from __future__ import annotations

from typing import Any

import pytest

from twofold.api.kept_redacted import redact_kept
from twofold.memory.redaction import Redactor


@pytest.mark.parametrize(
    ("policy", "said", "context"),
    [
        ({}, "my pin is [redacted: pin]", {"pin": "[redacted: pin]"}),
        ({"pin": "drop"}, "my ", {}),
        ({"pin": "keep"}, "my pin is 4711", {"pin": 4711}),
    ],
)
async def test_each_part_of_a_run_that_is_kept_is_as_the_policy_says(
    policy: dict[str, str], said: str, context: dict[str, Any]
) -> None:
    given = "my pin is 4711"
    arguments: dict[str, Any] = {"input": {"query": given}, "command": None, "context": {"pin": 4711}}
    value: dict[str, Any] = {"metadata": {"note": given}, "kwargs": arguments, "thread_id": given}
    await redact_kept(value, Redactor.of(policy))
    assert value["metadata"] == {"note": said}
    assert value["kwargs"] == {"input": {"query": said}, "command": None, "context": context}
    assert value["thread_id"] == given
    assert value["kwargs"] is arguments

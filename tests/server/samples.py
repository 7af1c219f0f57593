"""What the tests of servers send: the documented inputs, and secrets that must not be found again."""

from __future__ import annotations

import json
from typing import Any

from tests.canaries import FORMS, Canary, seeded
from tests.server.dev import ROOT

SECRET = "zebra9Quartz7canary"
SAID = f"My password is {SECRET}."
_RANDOM = seeded("server")
CANARIES: dict[str, Canary] = {kind: _RANDOM.choice(forms)(_RANDOM) for kind, forms in FORMS.items()}
"""A random secret of each kind."""
ALL_SAID = " and ".join(canary.text for canary in CANARIES.values())
MASKED = {"iban": "mask"}
"""The policy under which none of them is kept."""


def sample(graph: str) -> dict[str, Any]:
    """Return the documented input of a graph."""
    given: dict[str, Any] = json.loads((ROOT / "docs" / "samples" / f"{graph}.json").read_text(encoding="utf-8"))
    return given


def session(text: str, session_id: str = "s1") -> dict[str, Any]:
    """Return a session in which the user said one thing, and was answered."""
    said = {"kind": "said", "at": "2026-04-01T12:00:00Z"}
    return {
        "session_id": session_id,
        "entries": [
            {"event_id": f"{session_id}-u", "author": "user", "text": text, **said},
            {"event_id": f"{session_id}-a", "author": "agent", "text": "Noted.", **said},
        ],
    }


def with_secret(session_id: str = "secret") -> dict[str, Any]:
    """Return a session with a secret in each place where one can stand."""
    given = session(f"I work with the EU Ledger. {SAID}", session_id)
    tool = {"author": "agent", "at": "2026-04-01T12:00:01Z", "tool": "log_in", "call_id": "1"}
    given["entries"] += [
        {"event_id": "c1", "kind": "called", "payload": {"password": SECRET}, **tool},
        {"event_id": "r1", "kind": "returned", "payload": {"note": SAID, "headers": [_header()]}, **tool},
    ]
    tool["call_id"] = "2"
    for number, (kind, canary) in enumerate(CANARIES.items()):
        deep = {"rows": [{kind: [canary.text]}], "body": json.dumps({"said": canary.text}), canary.text: number}
        given["entries"] += [
            {
                "event_id": f"k{number}",
                "kind": "said",
                "author": "user",
                "text": canary.text,
                "at": "2026-04-01T12:00:02Z",
            },
            {"event_id": f"l{number}", "kind": "called", "payload": deep, **tool},
            {"event_id": f"m{number}", "kind": "failed", "error": "E1", "text": canary.text, **tool},
        ]
    return given


def _header() -> dict[str, str]:
    return {"name": "password", "value": SECRET}

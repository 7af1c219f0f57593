"""An ADK session with a random secret of every kind in every field that an event has."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import Any

from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai import types

from tests.acceptance.host import APP
from tests.canaries import FORMS, KEYS, Canary, filled

AT = 1_772_355_600.0
STATE = "session state"


@dataclass
class Planted:
    """The canaries by the place where each was put."""

    rng: random.Random
    canaries: dict[str, Canary] = field(default_factory=dict)

    def said(self, place: str, kind: str) -> str:
        """Return a sentence with a new secret of a kind."""
        canary = self.canaries[f"{kind} in {place}"] = self.rng.choice(FORMS[kind])(self.rng)
        return canary.text

    def under_key(self, place: str, kind: str) -> dict[str, Any]:
        """Return a new secret under a key that names its kind."""
        digits = kind in {"pin", "one-time code", "card security code", "card number"}
        value = filled("{d12}" if digits else "{w24}7", self.rng)
        value = FORMS[kind][0](self.rng).secret if kind == "iban" else value
        self.canaries[f"{kind} under a key in {place}"] = Canary(kind, KEYS[kind], value)
        return {KEYS[kind]: value}

    def of_all(self, place: str) -> list[dict[str, Any]]:
        """Return all kinds as a tool hands them over: said, nested, under a key, as a key, and as JSON in a text."""
        return [
            {
                "note": self.said(f"{place}, nested", kind),
                "rows": [[{"deep": [self.said(f"{place}, deep", kind)]}]],
                "login": self.under_key(place, kind),
                "headers": [
                    {"name": name, "value": value} for name, value in self.under_key(f"{place}, a pair", kind).items()
                ],
                self.said(f"{place}, a key's name", kind): "as a key",
                "body": json.dumps(
                    {"said": self.said(f"{place}, JSON in a text", kind), **self.under_key(f"{place}, JSON", kind)}
                ),
            }
            for kind in FORMS
        ]


def session_with_secrets(planted: Planted, session_id: str, user_id: str = "anna") -> Session:
    """Return a session as ADK hands it over, with a new secret in each place."""
    numbered = iter(range(10_000))
    events: list[Event] = []

    def add(*parts: types.Part, author: str = "clerk", **fields: Any) -> None:
        number = next(numbered)
        content = types.Content(role="user" if author == "user" else "model", parts=list(parts)) if parts else None
        made: dict[str, Any] = {"id": f"{session_id}-{number}", "invocation_id": "i1", "timestamp": AT + number}
        events.append(Event(author=author, content=content, **made, **fields))

    def at(place: str, kind: str) -> str:
        return planted.said(f"{place} of {session_id}", kind)

    add(types.Part(text="My ledger is US_PRIMARY. Close March."), author="user")
    for kind in FORMS:
        add(types.Part(text=at("what the user said", kind)), author="user")
        add(types.Part(text=at("what the agent said", kind)))
        add(types.Part(text=at("a thought", kind), thought=True))
    args, answer, form, hint = (
        planted.of_all(f"{place} of {session_id}") for place in ("arguments", "a response", "a form", "a confirmation")
    )
    add(
        types.Part(function_call=types.FunctionCall(id="c1", name="post", args={"items": args, "ledger": "US_PRIMARY"}))
    )
    add(
        types.Part(
            function_response=types.FunctionResponse(
                id="c1", name="post", response={"error": "closed", "items": answer}
            )
        )
    )
    for name, payload in (("adk_request_input", form), ("adk_request_confirmation", hint)):
        response = types.FunctionResponse(id=name, name=name, response={"answers": payload})
        add(types.Part(function_response=response), author="user")
    for kind in FORMS:
        add(error_code="PostingError", error_message=at("an error", kind))
        add(input_transcription=types.Transcription(text=at("a transcription", kind), finished=True))
        state = {"app:note": at(STATE, kind), **planted.under_key(f"{STATE} of {session_id}", kind)}
        add(types.Part(text="Noted."), actions=EventActions(state_delta=state))
    return Session(id=session_id, app_name=APP, user_id=user_id, events=events, state=dict(state))


def entry_with(text: str) -> MemoryEntry:
    """Return a memory in the host's own words."""
    return MemoryEntry(content=types.Content(parts=[types.Part(text=text)]))

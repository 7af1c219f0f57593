"""What a model says of a session is kept without secrets, whatever it was told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.unit.nodes.ports import DictKept, write_ports
from twofold.graphs.write import build_write
from twofold.memory.jsontypes import Json
from twofold.memory.memories import FactChange, Memory
from twofold.memory.redacted_extraction import redacting_ports
from twofold.memory.redaction import Redactor
from twofold.memory.steps import Episode, EpisodeWords, Turn

SECRET = "hunter2hunter2"
SAID = f"The password is {SECRET}."


@dataclass
class Talkative:
    """A model that says a secret in every field."""

    name: str = "talkative"

    async def extract(self, turns: list[Turn], known: list[Memory]) -> list[FactChange]:
        return [FactChange(action="ADD", text=SAID)]

    async def tell(self, episode: Episode) -> EpisodeWords:
        return EpisodeWords(title=SAID, overall=SAID, lesson=SAID)


@pytest.mark.parametrize(
    ("policy", "left"),
    [({}, "The password is [redacted: password]."), ({"password": "drop"}, "The ."), ({"password": "keep"}, SAID)],
)
async def test_a_secret_that_a_model_says_is_kept_as_the_policy_says(policy: dict[str, str], left: str) -> None:
    kept = DictKept()
    model = Talkative()
    ports = redacting_ports(write_ports(facts=model, narrator=model, kept=kept, redactor=Redactor.of(policy)))
    assert (ports.facts.name, ports.narrator.name) == ("talkative", "talkative")
    said = {"kind": "said", "author": "user", "text": "Close March.", "at": "2026-04-01T12:00:00Z"}
    tool = {"author": "agent", "tool": "close", "call_id": "1", "at": "2026-04-01T12:00:01Z"}
    entries: list[dict[str, Json]] = [
        {"event_id": "u1", **said},
        {"event_id": "c1", "kind": "called", "payload": {}, **tool},
        {"event_id": "r1", "kind": "returned", "payload": {"ok": True}, **tool},
    ]
    scope = {"tenant_id": "acme", "user_id": "anna"}
    given: Any = {"scope": scope, "session_id": "s1", "entries": entries}
    output = await build_write(ports).compile().ainvoke(given)
    everything = f"{output} {vars(kept)} {ports.memories}"
    assert left in everything
    assert (SECRET in everything) is (left == SAID)

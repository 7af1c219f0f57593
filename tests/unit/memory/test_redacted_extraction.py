"""What a model says of a session is kept without secrets, whatever it was told."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import pytest

from tests.unit.nodes.ports import AT, DictKept, write_ports
from twofold.graphs.write import build_write
from twofold.memory.jsontypes import Json
from twofold.memory.memories import FactChange, Memory
from twofold.memory.ports import WritePorts
from twofold.memory.redacted_extraction import redacting_ports
from twofold.memory.redaction import Redactor
from twofold.memory.steps import Episode, EpisodeWords, Run, Turn
from twofold.memory.words import plain_words

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


EPISODE = Episode(
    session_id="s1",
    runs=(),
    outcome="success",
    workflow="close",
    narrative="",
    event_ids=(),
    started_at=AT,
    ended_at=AT,
)
BARE = f"password: {SECRET}"


@dataclass
class Saying:
    """A model that says what it is told to."""

    changes: tuple[FactChange, ...] = ()
    words: EpisodeWords = field(default_factory=lambda: EpisodeWords(title="", overall=""))
    name: str = "saying"

    async def extract(self, turns: list[Turn], known: list[Memory]) -> list[FactChange]:
        return list(self.changes)

    async def tell(self, episode: Episode) -> EpisodeWords:
        return self.words


def dropping(model: Saying) -> WritePorts:
    return redacting_ports(write_ports(facts=model, narrator=model, redactor=Redactor.of({"password": "drop"})))


@pytest.mark.parametrize("text", [BARE, f" {BARE}\n", f"- {BARE}.", BARE.upper(), " "])
@pytest.mark.parametrize("action", ["ADD", "UPDATE"])
async def test_a_change_of_which_no_word_is_left_is_left_out_and_counted_without_words(
    caplog: pytest.LogCaptureFixture, action: Literal["ADD", "UPDATE"], text: str
) -> None:
    caplog.set_level(logging.INFO)
    good = FactChange(action="ADD", text="The user prefers PDF.", event_ids=("u1",))
    gone = FactChange(action="DELETE", text=BARE, key="k2", event_ids=("u1",))
    wordless = replace(good, action=action, key="k1", text=text)
    changes = await dropping(Saying(changes=(good, wordless, gone))).facts.extract([], [])
    assert list(changes) == [good, replace(gone, text="")]
    (told,) = [record.getMessage() for record in caplog.records]
    assert told.startswith("1 of 3 changes is left out")
    assert SECRET not in caplog.text


async def test_nothing_is_left_out_of_what_holds_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    good = FactChange(action="ADD", text="\N{THUMBS UP SIGN}", event_ids=("u1",))
    assert list(await dropping(Saying(changes=(good,))).facts.extract([], [])) == [good]
    assert not caplog.records


async def test_words_of_which_nothing_is_left_are_those_made_from_the_steps() -> None:
    plain = plain_words(EPISODE)
    words = EpisodeWords(title=BARE, overall=f"Succeeded: {BARE}", lesson=BARE)
    assert await dropping(Saying(words=words)).narrator.tell(EPISODE) == replace(plain, lesson="")
    words = EpisodeWords(title="A title", overall=BARE, lesson="A lesson")
    told = await dropping(Saying(words=words)).narrator.tell(EPISODE)
    assert told == EpisodeWords(title="A title", overall=plain.overall, lesson="A lesson")


async def test_the_words_made_from_the_steps_are_never_blank_either() -> None:
    run = Run(request=BARE, steps=(), outcome="success", failure="", started_at=AT, ended_at=AT)
    words = EpisodeWords(title=BARE, overall="Succeeded: all is done.")
    told = await dropping(Saying(words=words)).narrator.tell(replace(EPISODE, runs=(run,)))
    assert told == EpisodeWords(title="Agent run", overall="Succeeded: all is done.")

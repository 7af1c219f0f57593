"""The extraction of facts alone: what is searched, sent, kept and refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.unit.nodes.ports import AT, SCOPE, DictKept, DictMemories, ScriptedExtractor, memory, write_ports
from twofold.memory.errors import ModelFailed
from twofold.memory.memories import FactChange, Memory, Vector
from twofold.memory.neighbours import KNOWN_BYTES, MOST_KNOWN, QUERIES, queries_of, shown_to
from twofold.memory.pieces import shown_bytes
from twofold.memory.steps import Role, Turn
from twofold.nodes.plain import TURNS, plain
from twofold.nodes.write import extract_semantic
from twofold.nodes.write.extract_semantic import resting_on_user
from twofold.testing import HashEmbedder

LONG = "The weather was discussed at length. " * 300


def turn(event_id: str, text: str = LONG, role: Role = "user", *, context: bool = False) -> Turn:
    return Turn(event_id=event_id, role=role, text=text, at=AT, context=context)


def state_of(*turns: Turn) -> Any:
    return {"scope": SCOPE, "session_id": "s1", "turns": plain(TURNS, turns)}


@dataclass
class Extractor:
    """Adds a fact for each turn of the user, and fails or dies at the `broken` call (from 1)."""

    broken: int = 0
    error: BaseException = field(default_factory=lambda: ModelFailed("HTTP 500"))
    name: str = "counting"
    sent: list[list[str]] = field(default_factory=list)
    known: list[list[str]] = field(default_factory=list)

    async def extract(self, turns: Sequence[Turn], known: Sequence[Memory]) -> Sequence[FactChange]:
        if len(self.sent) + 1 == self.broken:
            raise self.error
        self.sent.append([each.event_id for each in turns])
        self.known.append([each.text for each in known])
        return [FactChange(action="ADD", text=f"fact {t.event_id}", event_ids=(t.event_id,)) for t in turns]


class CountingEmbedder(HashEmbedder):
    """Counts calls."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[list[str]] = []

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        self.calls.append(list(texts))
        return await super().embed(texts)


FOUR = [turn(f"u{number}") for number in range(1, 5)]


async def texts_of(state: Any, **ports: Any) -> list[str]:
    result = (await extract_semantic(state, ports=write_ports(**ports)))["semantic"]
    assert "failure" not in result
    return [change["text"] for change in result["changes"]]


async def test_a_failure_in_the_third_chunk_does_not_cost_the_first_two_again() -> None:
    kept, broken = DictKept(), Extractor(broken=3)
    result = (await extract_semantic(state_of(*FOUR), ports=write_ports(facts=broken, kept=kept)))["semantic"]
    assert result == {"failure": "HTTP 500", "model": "counting"}
    assert broken.sent == [["u1"], ["u2"]]
    retried = Extractor()
    assert await texts_of(state_of(*FOUR), facts=retried, kept=kept) == ["fact u1", "fact u2", "fact u3", "fact u4"]
    assert retried.sent == [["u3"], ["u4"]]
    assert retried.known[0] == ["fact u1", "fact u2"]


async def test_neither_does_a_process_that_dies_in_the_third() -> None:
    kept, killed = DictKept(), Extractor(broken=3, error=KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        await extract_semantic(state_of(*FOUR), ports=write_ports(facts=killed, kept=kept))
    retried = Extractor()
    assert len(await texts_of(state_of(*FOUR), facts=retried, kept=kept)) == 4
    assert retried.sent == [["u3"], ["u4"]]


async def test_what_was_read_is_not_read_again_when_the_user_went_on_before_the_save_succeeded() -> None:
    kept, first = DictKept(), Extractor()
    talk = [turn("u1", "I prefer PDF."), turn("a1", "And the ledger?", "agent")]
    await texts_of(state_of(*talk), facts=first, kept=kept)
    second = Extractor()
    more = [*talk, turn("u2", "US_PRIMARY"), turn("a2", "Noted.", "agent")]
    assert await texts_of(state_of(*more), facts=second, kept=kept) == ["fact u1", "fact u2"]
    assert (first.sent, second.sent) == ([["u1"]], [["a1", "u2"]])
    third = Extractor()
    assert await texts_of(state_of(*more), facts=third, kept=kept) == ["fact u1", "fact u2"]
    assert third.sent == []


@pytest.mark.parametrize("changed", ["rev", "fact", "name", "text"])
async def test_other_facts_another_model_or_another_text_are_paid_for(changed: str) -> None:
    kept, known = DictKept(), [memory("k1")]
    await texts_of(state_of(FOUR[0]), facts=Extractor(), kept=kept, memories=DictMemories(stored=known))
    again = Extractor(name="other" if changed == "name" else "counting")
    stored = {"rev": [memory("k1", rev=2)], "fact": [*known, memory("k2")]}.get(changed, known)
    turns = [turn("u1", "Other words.")] if changed == "text" else FOUR[:1]
    await texts_of(state_of(*turns), facts=again, kept=kept, memories=DictMemories(stored=stored))
    assert again.sent == [["u1"]]


async def test_the_facts_a_chunk_does_not_see_do_not_make_it_paid_for_again() -> None:
    kept = DictKept()
    await texts_of(state_of(*FOUR[:2]), facts=Extractor(), kept=kept, memories=DictMemories(stored=[memory("k1")]))
    again = Extractor()
    shuffled = DictMemories(stored=[memory("k1", score=0.1)])
    await texts_of(state_of(*FOUR[:2]), facts=again, kept=kept, memories=shuffled)
    assert again.sent == []


async def test_nothing_is_searched_or_sent_without_a_new_turn_of_the_user() -> None:
    facts, embedder = ScriptedExtractor(), CountingEmbedder()
    turns = [turn("u1", context=True), turn("a1", "I prefer PDF.", "agent")]
    assert await texts_of(state_of(*turns), facts=facts, embedder=embedder) == []
    assert (facts.asked, embedder.calls) == ([], [])


async def test_known_facts_are_found_with_one_embedding_call_for_all_chunks_in_exactly_this_scope() -> None:
    embedder, memories = CountingEmbedder(), DictMemories()
    turns = [
        *FOUR,
        turn("a1", "Company 6666?", "agent"),
        turn("u5", "No, company 1010."),
        turn("u6", "No, company 1010."),
    ]
    await texts_of(state_of(*turns), facts=Extractor(), embedder=embedder, memories=memories)
    (asked,) = embedder.calls
    assert len(asked) == len(set(asked))
    assert "No, company 1010." in asked
    assert not any("6666" in text for text in asked)
    assert {query for _, _, query, _ in memories.searched} == set(asked)
    assert {(scope.tenant_id, scope.user_id, kind, other) for scope, kind, _, other in memories.searched} == {
        ("acme", "anna", "semantic", None)
    }


def test_a_long_turn_is_searched_for_part_by_part_and_the_newest_parts_count() -> None:
    queries = queries_of([turn("u1", "Old words."), turn("a1", "Agent words.", "agent"), turn("u2", LONG * 3)])
    assert len(queries) <= QUERIES
    assert all(shown_bytes(query) <= 1_000 for query in queries)
    many = queries_of([turn(f"u{number}", f"Fact {number}.") for number in range(40)])
    assert many == tuple(f"Fact {number}." for number in range(40 - QUERIES, 40))


async def test_each_chunk_is_shown_its_own_neighbours_identifiers_first_and_no_more_than_the_most() -> None:
    near = [memory(f"k{number}", score=0.9 - number / 100) for number in range(40)]
    exact = memory("exact", score=0.01, exact=True)

    class Searching(DictMemories):
        async def search(self, *args: Any, query: str, **more: Any) -> Sequence[Memory]:
            return [*near, exact] if query == "company 1010" else near[:1]

    facts = Extractor()
    await texts_of(state_of(FOUR[0], FOUR[1], turn("u3", "company 1010")), facts=facts, memories=Searching())
    assert facts.known[0] == ["text of k0"]
    last = [text for text in facts.known[-1] if not text.startswith("fact ")]
    assert last[0] == "text of exact"
    assert len(last) == MOST_KNOWN


def test_of_what_earlier_chunks_added_the_facts_nearest_in_words_are_shown_and_never_more_than_the_bytes() -> None:
    added = [FactChange(action="ADD", text=f"The user likes fruit {number}.") for number in range(50)]
    currency = FactChange(action="ADD", text="The user's currency is USD.")
    shown = shown_to([turn("u1", "My currency is EUR.")], [], [*added, currency, *added])
    assert shown[0].text == currency.text
    assert len(shown) == 20
    wide = shown_to([turn("u1")], [memory(f"k{n}", text="x" * 900) for n in range(20)], added)
    assert sum(shown_bytes(each.text) for each in wide) <= KNOWN_BYTES
    assert {each.key[:1] for each in wide} == {"k", "a"}


def test_a_change_rests_on_events_of_the_user_and_only_a_deletion_may_name_none() -> None:
    changes = [
        FactChange(action="ADD", text="one", event_ids=("a1", "u1", "invented")),
        FactChange(action="ADD", text="two"),
        FactChange(action="ADD", text="three", event_ids=("a1",)),
        FactChange(action="UPDATE", text="four", key="k1"),
        FactChange(action="DELETE", key="k2"),
        FactChange(action="DELETE", key="k3", event_ids=("a1",)),
    ]
    assert resting_on_user(changes, frozenset({"u1", "u2"})) == (
        FactChange(action="ADD", text="one", event_ids=("u1",)),
        FactChange(action="DELETE", key="k2", event_ids=("u1", "u2")),
    )

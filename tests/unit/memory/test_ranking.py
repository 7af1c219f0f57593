"""Which memories are recalled, and in which order."""

from __future__ import annotations

import random

from tests.unit.nodes.ports import memory
from twofold.memory.ranking import recall_of


def test_the_newest_come_first_and_at_most_six_facts_and_four_episodes() -> None:
    recall = recall_of([memory(f"f{n}", minute=n) for n in range(9)], [memory(f"e{n}", minute=n) for n in range(9)])
    assert [m.key for m in recall.facts] == ["f8", "f7", "f6", "f5", "f4", "f3"]
    assert [m.key for m in recall.episodes] == ["e8", "e7", "e6", "e5"]


def test_memories_of_one_time_come_in_the_same_order_every_time() -> None:
    facts = [memory(f"f{n}") for n in range(6)]
    shuffled = random.Random(7).sample(facts, len(facts))  # noqa: S311 - an order, not a secret
    assert recall_of(facts, []) == recall_of(shuffled, [])


def test_without_a_floor_nothing_is_too_far() -> None:
    assert len(recall_of([memory("f", score=-0.9)], []).facts) == 1


def test_a_floor_leaves_out_what_is_less_similar_but_never_an_exact_identifier() -> None:
    facts = [memory("at", score=0.3), memory("below", score=0.29), memory("exact", score=0.1, exact=True)]
    assert {m.key for m in recall_of(facts, [], floor=0.3).facts} == {"at", "exact"}

"""Each step of `memory_read` alone: state in, partial state out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.unit.nodes.ports import SCOPE, DictMemories, memory, read_ports
from twofold.memory.redaction import Redactor
from twofold.memory.scope import Scope
from twofold.nodes.plain import MEMORIES, plain
from twofold.nodes.read import embed, rank, redact, search_episodic, search_semantic, validate

ANNA = Scope(tenant_id="acme", user_id="anna")
STATE: Any = {"scope": SCOPE, "query": "ledger", "except_session": "s9"}


async def test_validate_trims_the_query_and_answers_a_blank_one_itself() -> None:
    assert (await validate({"scope": SCOPE, "query": "  ledger\x00 "}))["query"] == "ledger"  # type: ignore[typeddict-item]
    assert (await validate({"scope": SCOPE, "query": " "}))["recall"] == {"facts": [], "episodes": []}  # type: ignore[typeddict-item]


async def test_redact_takes_secrets_out_of_the_query() -> None:
    asked: Any = {**STATE, "query": "my password is hunter2hunter2, which pin is mine: 4711?"}
    ports = read_ports(DictMemories(), [])
    assert (await redact(asked, ports=ports))["query"].startswith("my password is [redacted: password]")
    ports = replace(ports, redactor=Redactor.of({"password": "keep"}))
    assert await redact(asked, ports=ports) == {"query": asked["query"]}


async def test_embed_leaves_the_query_and_no_vector_in_the_state() -> None:
    assert await embed(STATE, ports=read_ports(DictMemories(), [])) == {"query": "ledger"}


async def test_each_search_asks_for_its_kind_in_the_scope_without_the_session_in_progress() -> None:
    memories = DictMemories(stored=[memory("f1"), memory("e1", "episodic")])
    ports = read_ports(memories, [])
    facts = (await search_semantic(STATE, ports=ports))["found_semantic"]
    episodes = (await search_episodic(STATE, ports=ports))["found_episodic"]
    assert [found["key"] for found in (*facts, *episodes)] == ["f1", "e1"]
    assert memories.searched == [(ANNA, "semantic", "ledger", "s9"), (ANNA, "episodic", "ledger", "s9")]


async def test_rank_puts_the_newest_first_and_tells_whose_memory_was_used() -> None:
    recalled: list[Scope] = []
    found = plain(MEMORIES, (memory("old", minute=1), memory("new", minute=2)))
    state: Any = {**STATE, "found_semantic": found, "found_episodic": []}
    recall = (await rank(state, ports=read_ports(DictMemories(), recalled)))["recall"]
    assert [fact["key"] for fact in recall["facts"]] == ["new", "old"]
    assert recalled == [ANNA]

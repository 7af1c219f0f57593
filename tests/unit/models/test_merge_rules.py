"""Facts that differ in an identifier stay apart, whatever a model replies and in whatever order saves come."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from twofold.memory.exchange import lost
from twofold.memory.memories import Change, FactChange, Save, Source
from twofold.memory.memories import Memory as KnownFact
from twofold.memory.scope import Scope
from twofold.memory.steps import Turn
from twofold.models.chat import open_chat
from twofold.models.claims import apply, claims
from twofold.models.conversation import render
from twofold.models.draft import Draft
from twofold.models.facts import LangMemFactExtractor
from twofold.models.managers import FORCED_TOOL
from twofold.models.schemas import Memory
from twofold.store.reconcile import reconcile
from twofold.testing import OpenAIDouble, Reply

ANNA = Scope(tenant_id="acme", user_id="anna")
AT = datetime(2026, 4, 1, tzinfo=UTC)
THINGS = {
    "company": ["1000", "1010", "100", "10001"],
    "ledger": ["US_PRIMARY", "UK_PRIMARY", "0L", "2"],
    "period": ["11-25", "11-26", "3", "4"],
    "account": ["400000", "400010", "4000-10"],
    "asset class": ["3000", "3100", "3"],
}


class RemoveDoc(BaseModel):
    json_doc_id: str


def said(noun: str, code: str, number: int) -> Turn:
    at = AT + timedelta(minutes=number)
    return Turn(event_id=f"u{number}", role="user", text=f"I work with {noun} {code}.", at=at)


def statement(noun: str, code: str) -> str:
    return f"The user works with {noun} {code}."


def stored_after(stored: Sequence[KnownFact], changes: Sequence[FactChange], number: int) -> list[KnownFact]:
    """Return the facts after a save, by the rule of the store."""
    source = Source(session_id=f"s{number}", event_ids=(f"u{number}",), at=AT, origin="user said")
    made = [
        Change(action=c.action, kind="semantic", key=c.key, text=c.text, content={"content": c.text}, source=source)
        for c in changes
    ]
    save = Save(
        scope=ANNA,
        session_id=f"s{number}",
        generation=1,
        changes=tuple(made),
        seen_event_ids=(f"u{number}",),
        models={},
    )
    result = reconcile(save, made, stored)
    left = {memory.key: memory for memory in stored} | result.written
    return [memory for key, memory in left.items() if key not in result.deleted]


@st.composite
def orders(draw: st.DrawFn) -> tuple[str, list[str]]:
    """Draw things of one kind, said in any order, some of them again."""
    noun = draw(st.sampled_from(sorted(THINGS)))
    return noun, draw(st.lists(st.sampled_from(THINGS[noun]), min_size=2, max_size=6))


def any_reply(data: st.DataObject, noun: str, code: str, handles: Sequence[str]) -> dict[str, BaseModel]:
    """Draw what LangMem may make of any reply: the new fact added, or put over another, and others dropped."""
    others = [*THINGS[noun], " and ".join(THINGS[noun])]
    documents: dict[str, BaseModel] = {}
    for handle in handles:
        what = data.draw(st.sampled_from(("leave", "drop", "say the new one", "say another", "say nothing exact")))
        if what == "drop":
            documents[handle] = RemoveDoc(json_doc_id=handle)
        elif what != "leave":
            other = {"say the new one": code, "say another": data.draw(st.sampled_from(others))}.get(what, "")
            documents[handle] = Memory(content=statement(noun, other), event_ids=["e1"])
    if data.draw(st.booleans()) or not documents:
        documents["new"] = Memory(content=statement(noun, code), event_ids=["e1"])
    return documents


@settings(deadline=None)
@given(orders(), st.data())
def test_no_reply_loses_what_was_said_of_another_company_ledger_period_account_or_asset_class(
    case: tuple[str, list[str]], data: st.DataObject
) -> None:
    noun, codes = case
    stored: list[KnownFact] = []
    for number, code in enumerate(codes):
        conversation = render([said(noun, code, number)])
        draft = Draft(stored)
        shown: dict[str, Any] = {handle: {"content": text, "event_ids": []} for handle, text in draft.facts()}
        before = [memory.text for memory in stored]
        for claim in claims(any_reply(data, noun, code, list(shown)), shown, conversation, draft):
            if not claim.reason:
                apply(claim, conversation, draft)
        stored = stored_after(stored, draft.changes(), number)
        for text in before:
            assert any(not lost(text, memory.text) for memory in stored), text
    assert len({memory.text for memory in stored}) == len(stored)


@given(orders())
def test_equal_facts_are_one_row_with_a_source_for_each_save_in_every_order(case: tuple[str, list[str]]) -> None:
    noun, codes = case
    stored: list[KnownFact] = []
    for number, code in enumerate(codes):
        text = statement(noun, code)
        stored = stored_after(stored, [FactChange(action="ADD", text=text, event_ids=(f"u{number}",))], number)
    assert {memory.text for memory in stored} == {statement(noun, code) for code in codes}
    assert len(stored) == len(set(codes))
    assert sum(len(memory.sources) for memory in stored) == len(codes)


async def test_langmem_cannot_put_one_company_over_another_either() -> None:
    with OpenAIDouble() as double:
        opened = partial(open_chat, "double", base_url=double.base_url, request=FORCED_TOOL)
        facts = LangMemFactExtractor("openai:double", opened)
        stored: list[KnownFact] = []
        for number, code in enumerate(["1000", "1010", "1020"]):
            edits = [
                {"op": "replace", "path": "/content", "value": statement("company", code)},
                {"op": "add", "path": "/event_ids/-", "value": "e1"},
            ]
            over = ("PatchDoc", {"json_doc_id": "m1", "planned_edits": "", "patches": edits})
            new = ("Memory", {"content": statement("company", code), "event_ids": ["e1"]})
            double.script("Memory", Reply.tools(over if stored else new))
            changes = await facts.extract([said("company", code, number)], stored)
            stored = stored_after(stored, changes, number)
        await facts.aclose()
        assert len(double.requests) == 3
    assert [memory.text for memory in stored] == [statement("company", code) for code in ("1000", "1010", "1020")]

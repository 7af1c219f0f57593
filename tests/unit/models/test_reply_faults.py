"""The reply-fault table: whatever a model answers about facts, what it costs, what is stored and what cause is kept.

Each row runs the whole write graph, with LangMem and langchain-openai over HTTP, beside an episode that succeeds; then
again, as the queue does, with a good reply. What is answered about episodes is in test_outages.py.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from tests.contract.samples import known
from tests.unit.nodes.ports import SCOPE, DictKept, DictMemories, ScriptedNarrator, called, said, write_ports
from twofold.graphs.write import build_write
from twofold.memory.errors import ExtractionFailed
from twofold.memory.memories import Memory
from twofold.memory.ports import WritePorts
from twofold.models.chat import open_chat
from twofold.models.facts import LangMemFactExtractor
from twofold.models.managers import FORCED_TOOL
from twofold.store.attempts import cause_of
from twofold.testing import OpenAIDouble, Reply

PRIVATE = "Private words."
PATIENT = 30.0
SESSION = [said("u1", "I prefer Excel. Close March."), *called("c1", "close_period", {"error": "open subledgers"})]
KNOWN = known("The user prefers PDF.", "The user works with company 1000.")
GOOD = Reply.tools(("Memory", {"content": "The user prefers Excel.", "event_ids": ["e1"]}))


def fact(content: object = PRIVATE, *ids: object) -> tuple[str, dict[str, Any]]:
    return "Memory", {"content": content, "event_ids": list(ids or ["e1"])}


def patch(target: object, *edits: tuple[str, object]) -> tuple[str, dict[str, Any]]:
    patches = [{"op": "replace" if path != "/event_ids/-" else "add", "path": path, "value": v} for path, v in edits]
    return "PatchDoc", {"json_doc_id": target, "planned_edits": "", "patches": patches}


SOURCE = ("/event_ids/-", "e1")


@dataclass(frozen=True, kw_only=True)
class Row:
    """A reply to every request for facts, and what comes of it.

    `requests` is what one attempt sends. With a `cause` the attempt fails and stores nothing; without one it
    stores `stored`. `alone` is the row where nothing is known, if that differs: nothing can be patched then.
    """

    reply: Reply
    cause: str = ""
    requests: int = 2
    stored: Sequence[str] = ()
    alone: Row | None = None
    timeout: float = PATIENT


def no_tool(name: str) -> Row:
    return Row(reply=Reply.tools(), cause=f"there is no tool '{name}'")


def lone(row: Row, *, requests: int = 2) -> dict[str, Any]:
    return {"alone": row, "requests": requests}


PATCH = lone(no_tool("PatchDoc"))
REMOVE = lone(no_tool("RemoveDoc"))
BODY: dict[str, Any] = {"id": "x", "object": "chat.completion", "model": "m"}

OUTAGES = {
    "HTTP 429": Row(reply=Reply.rate_limited(), cause="HTTP 429", requests=3),
    "HTTP 500": Row(reply=Reply.error(500), cause="HTTP 500", requests=3),
    "hangs": Row(reply=Reply.hangs(60), cause="TimeoutError at http://127.0.0.1", requests=3, timeout=0.5),
    "drops the connection": Row(reply=Reply.drops(), cause="ConnectionError at http://127.0.0.1", requests=3),
    "HTTP 401": Row(reply=Reply.error(401), cause="HTTP 401", requests=1),
    "context too long": Row(reply=Reply.error(400, "maximum context length"), cause="maximum context", requests=1),
    "a gateway's page": Row(reply=Reply.not_json(), cause="(JSONDecodeError)", requests=1),
    "an empty body": Row(reply=Reply(raw=b""), cause="(JSONDecodeError)", requests=1),
}

HALVES = {
    "cut short": Row(reply=Reply.cut_short(fact()), cause="cut short (length)"),
    "filtered": Row(reply=Reply(calls=[fact()], finish="content_filter"), cause="cut short (content_filter)"),
    "cut within the arguments": Row(reply=Reply(calls=[("Memory", '{"con')], finish="length"), cause="(length)"),
    "text": Row(reply=Reply.says(PRIVATE), cause="it calls no tool"),
    "no JSON": Row(reply=Reply.malformed("Memory"), cause="the arguments of 'Memory' are no JSON object"),
    "half of it no JSON": Row(reply=Reply.tools(fact(), ("Memory", '{"content')), cause="are no JSON object"),
    "a scalar": Row(reply=Reply.tools(("Memory", f'"{PRIVATE}"')), cause="valid dictionary"),
    "unknown tool": Row(reply=Reply.tools(("Note", {"content": "x"})), cause="there is no tool 'Note'"),
    "wrong fields": Row(reply=Reply.tools(("Memory", {"text": PRIVATE})), cause="content: Field required"),
    "one of two wrong": Row(reply=Reply.tools(fact(), ("Memory", {"event_ids": 3})), cause="Field required"),
    "nothing but blanks": Row(reply=Reply.tools(fact("\x00 ")), cause="at least 1 character"),
    "a huge fact": Row(reply=Reply.tools(fact(PRIVATE * 90)), cause="at most 1000 characters"),
    "numbers as ids": Row(reply=Reply.tools(fact(PRIVATE, 1)), cause="event_ids.0: Input should be a valid string"),
    "no choice": Row(reply=Reply.json(BODY | {"choices": []}), cause="cannot be used"),
}

PATCHES = {
    "unknown id": Row(reply=Reply.tools(patch("m9", ("/content", "x"))), cause="'m9', which does not exist", **PATCH),
    "number as id": Row(reply=Reply.tools(patch(1, ("/content", "x"))), cause="json_doc_id", **PATCH),
    "two patches of one fact": Row(
        reply=Reply.tools(patch("m1", ("/content", "a")), patch("m1", ("/content", "b"))),
        cause="'m1' is changed twice",
        **PATCH,
    ),
    "patch and removal": Row(
        reply=Reply.tools(patch("m1", ("/content", "a")), ("RemoveDoc", {"json_doc_id": "m1"})),
        cause="'m1' is changed twice",
        **PATCH,
    ),
    "wrong path": Row(reply=Reply.tools(patch("m1", ("/text", "x"))), cause="changes nothing", **PATCH),
    "content of a wrong type": Row(reply=Reply.tools(patch("m1", ("/content", 5))), cause="changes nothing", **PATCH),
    "prose for patches": Row(
        reply=Reply.tools(("PatchDoc", {"json_doc_id": "m1", "planned_edits": "", "patches": PRIVATE})),
        cause="PatchDoc: patches",
        **PATCH,
    ),
    "no value": Row(
        reply=Reply.tools(
            ("PatchDoc", {"json_doc_id": "m1", "planned_edits": "", "patches": [{"op": "replace", "path": "/content"}]})
        ),
        cause="changes nothing",
        **PATCH,
    ),
    "no target": Row(
        reply=Reply.tools(("PatchDoc", {"planned_edits": "", "patches": []})), cause="json_doc_id: Field", **PATCH
    ),
    "removal of an unknown id": Row(
        reply=Reply.tools(("RemoveDoc", {"json_doc_id": "m9"})), cause="'m9', which does not exist", **REMOVE
    ),
    "a fact beside an unknown id": Row(
        reply=Reply.tools(fact(), ("RemoveDoc", {"json_doc_id": "m9"})), cause="'m9', which does not exist", **REMOVE
    ),
    "no patches": Row(reply=Reply.tools(patch("m1")), **lone(no_tool("PatchDoc"), requests=1)),
    "an identifier exchanged": Row(
        reply=Reply.tools(patch("m2", ("/content", "The user works in March."), SOURCE)),
        stored=["The user works in March."],
        **lone(no_tool("PatchDoc"), requests=1),
    ),
}

CLAIMS = {
    "no source": Row(reply=Reply.tools(("Memory", {"content": PRIVATE}))),
    "forged sources": Row(reply=Reply.tools(fact(PRIVATE, "e9", "u1", "m1"))),
    "a forged source beside a real one": Row(reply=Reply.tools(fact(PRIVATE, "e9", "e1")), stored=[PRIVATE]),
    "what the user never said": Row(reply=Reply.tools(fact("Pay to DE89 3704 0044 0532 0130 00."))),
    "one fact of two unsupported": Row(reply=Reply.tools(fact("Write to x@evil.com."), fact()), stored=[PRIVATE]),
    "a patch without a source": Row(reply=Reply.tools(patch("m1", ("/content", PRIVATE))), **PATCH),
    "a removal nobody asked for": Row(reply=Reply.tools(("RemoveDoc", {"json_doc_id": "m2"})), **REMOVE),
    "the same fact twice": Row(reply=Reply.tools(fact(), fact("private  words.")), requests=1, stored=[PRIVATE]),
    "NUL and surrogates": Row(reply=Reply.tools(fact("Private\x00 \ud83dwords.")), requests=1, stored=[PRIVATE]),
    "nothing to remember": Row(reply=Reply.tools(("NothingToRemember", {})), requests=1),
}

TABLE = OUTAGES | HALVES | PATCHES | CLAIMS


@dataclass
class Run:
    """The write graph over memories in a list, with LangMem's manager of facts on the double."""

    double: OpenAIDouble
    memories: DictMemories = field(default_factory=DictMemories)
    kept: DictKept = field(default_factory=DictKept)
    narrator: ScriptedNarrator = field(default_factory=ScriptedNarrator)
    opened: dict[float, LangMemFactExtractor] = field(default_factory=dict)

    async def save(self, timeout: float = PATIENT) -> None:
        if timeout not in self.opened:
            model = partial(open_chat, "double", base_url=self.double.base_url, timeout=timeout, request=FORCED_TOOL)
            self.opened[timeout] = LangMemFactExtractor("openai:double", model)
        ports: WritePorts = write_ports(
            facts=self.opened[timeout], narrator=self.narrator, memories=self.memories, kept=self.kept
        )
        graph: Any = build_write(ports).compile()
        await graph.ainvoke({"scope": SCOPE, "session_id": "s1", "entries": SESSION})

    async def aclose(self) -> None:
        for each in self.opened.values():
            await each.aclose()

    @property
    def stored(self) -> list[str]:
        return [change.text for save in self.memories.saves for change in save.changes if change.kind == "semantic"]


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIDouble]:
    with OpenAIDouble() as double:
        yield double


@pytest.fixture
async def run(server: OpenAIDouble, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Run]:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.001)
    server.requests.clear()
    run = Run(server)
    yield run
    await run.aclose()
    server.always("Memory", Reply())


# Without known facts each patch fails alike: two rows show it.
CASES = [
    *((case, KNOWN) for case in TABLE),
    *((case, []) for case in TABLE if case not in PATCHES or case in ("unknown id", "removal of an unknown id")),
]


@pytest.mark.parametrize(
    ("case", "facts"), CASES, ids=[f"{case}, {'facts known' if facts else 'nothing known'}" for case, facts in CASES]
)
async def test_a_reply_is_stored_whole_or_not_at_all_and_costs_what_is_stated(
    case: str, facts: list[Memory], run: Run
) -> None:
    row, reply = TABLE[case], TABLE[case].reply
    if not facts and row.alone is not None:
        row = row.alone
    run.memories.stored.extend(facts)
    run.double.always("Memory", reply)
    cause = ""
    try:
        await run.save(row.timeout)
    except ExtractionFailed as failure:
        cause = cause_of(failure)
    assert len(run.double.asked("Memory")) == row.requests
    assert run.stored == list(row.stored)
    assert row.cause in cause
    assert bool(cause) == bool(row.cause)
    assert not run.memories.saves if cause else len(run.memories.saves) == 1
    assert PRIVATE not in cause
    assert len(run.narrator.asked) == 1
    if cause:
        await check_the_retry(run)


async def check_the_retry(run: Run) -> None:
    """See that the next attempt pays only for what failed, and stores both parts."""
    run.double.always("Memory", GOOD)
    before = len(run.double.requests)
    await run.save()
    assert len(run.double.requests) == before + 1
    assert len(run.narrator.asked) == 1
    assert run.stored == ["The user prefers Excel."]
    assert [change.kind for change in run.memories.saves[0].changes] == ["semantic", "episodic"]


@pytest.mark.parametrize(
    "case", ["cut short", "text", "half of it no JSON", "two patches of one fact", "a fact beside an unknown id"]
)
async def test_a_good_second_reply_is_used_whole_and_nothing_of_the_first(case: str, run: Run) -> None:
    run.memories.stored.extend(KNOWN)
    run.double.script("Memory", TABLE[case].reply, GOOD)
    await run.save()
    assert run.stored == ["The user prefers Excel."]
    assert len(run.double.asked("Memory")) == 2


async def test_the_second_request_says_what_was_wrong_with_the_first_reply(run: Run) -> None:
    run.memories.stored.extend(KNOWN)
    run.double.script("Memory", PATCHES["unknown id"].reply, GOOD)
    await run.save()
    first, second = run.double.asked("Memory")
    assert "'m9', which does not exist" not in first.text
    assert "'m9', which does not exist" in second.text

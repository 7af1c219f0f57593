"""What a usable reply claims of the user, held against what the user said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from twofold.memory.exchange import calls_for
from twofold.memory.jsontypes import JsonObject
from twofold.memory.support import unsupported
from twofold.memory.things import things
from twofold.memory.withdrawal import naming, withdrawing
from twofold.models.conversation import Conversation, one_line
from twofold.models.draft import Draft
from twofold.models.schemas import Memory

_NEW = "a new fact"
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One document of a reply that adds, rewords or drops a fact.

    `handle` is the known fact's, empty for a new one; `text` is empty where it is dropped. `ids` are the lines
    it names, or those that take the fact back. `complaint` says to the model what is wrong with it. `reason`, which
    quotes nobody, says why it must not be believed; it is empty where only an id is wrong beside a right one, and
    where the model may know better.
    """

    handle: str
    text: str
    ids: tuple[str, ...] = ()
    complaint: str = ""
    reason: str = ""


def claims(
    documents: Mapping[str, object], shown: Mapping[str, JsonObject], conversation: Conversation, draft: Draft
) -> tuple[Claim, ...]:
    """Return what the documents that LangMem returned change, and what is wrong with each.

    A new or reworded fact must name a line of the user that says something, no other ids, and nothing exact that
    the user never said. A fact that names a thing is dropped where the user takes it back; where the user only
    speaks of it the model is asked once more, and believed then: a fact that should be gone stays for ever otherwise.
    """
    known = dict(draft.facts())
    made: list[Claim] = []
    for handle, document in documents.items():
        if type(document).__name__ == "RemoveDoc":  # trustcall makes that class anew for each set of ids
            made.append(_removal(handle, known[handle], conversation))
        elif isinstance(document, Memory):
            text = one_line(document.content)
            if handle not in shown:
                made.append(_statement("", text, document.event_ids, conversation, ""))
            elif text != shown[handle]["content"]:
                made.append(_statement(handle, text, document.event_ids, conversation, known[handle]))
    return tuple(made)


def apply(claim: Claim, conversation: Conversation, draft: Draft) -> None:
    """Make the change that a claim calls for.

    A fact keeps its words where the change would lose an identifier that the cited lines do not take back; the new
    words become a fact of their own then: company 1000 and company 1010 are two.
    """
    cited = conversation.cited(claim.ids)
    events = [line.event_id for line in cited]
    if not claim.handle:
        draft.add(claim.text, events)
    elif not claim.text:
        draft.delete(claim.handle, events)
    elif calls_for([line.words for line in cited], dict(draft.facts())[claim.handle], claim.text):
        draft.update(claim.handle, claim.text, events)
    else:
        draft.add(claim.text, events)


def _statement(handle: str, text: str, ids: list[str], conversation: Conversation, before: str) -> Claim:
    complaint, reason = next(_faults(text, ids, conversation, before), ("", ""))
    named = f"{handle or _NEW}: {complaint}" if complaint else ""
    return Claim(handle=handle, text=text, ids=tuple(ids), complaint=named, reason=reason)


def _faults(text: str, ids: list[str], conversation: Conversation, before: str) -> Iterator[tuple[str, str]]:
    cited = conversation.cited(ids)
    if not cited:
        yield "its `event_ids` name no line of the user", "it names no line of the user"
    elif not any(line.bears for line in cited):
        yield "the lines in its `event_ids` do not say it", "it rests on lines that say nothing"
    strange = unsupported(text, said=conversation.lines.values(), cited=cited, before=before)
    if strange:
        named = ", ".join(f"{each!r:.80}" for each in strange[:_MOST_NAMED])
        yield f"the user never said {named}", "it names exactly what the user never said"
    if unknown := [each for each in ids if each not in conversation.lines]:
        yield f"its `event_ids` name {unknown[0]!r:.40}, which is no line of the user", ""


def _removal(handle: str, before: str, conversation: Conversation) -> Claim:
    lines = conversation.lines.values()
    taking = withdrawing(lines, before)
    complaint = reason = ""
    if not any(line.bears for line in lines):
        complaint, reason = "no line of the user takes it back", "it is dropped by lines that say nothing"
    elif not taking and things(before):
        taking = naming(lines, before)
        complaint = "the user does not say that it no longer holds"
        reason = "" if taking else "it was not taken back"
    ids = tuple(each for each, line in conversation.lines.items() if not taking or line in taking)
    named = f"{handle}: {complaint}" if complaint else ""
    return Claim(handle=handle, text="", ids=ids, complaint=named, reason=reason)

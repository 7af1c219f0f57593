"""Calls paired with their responses: from entries to steps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from twofold.memory.answers import is_confirmed
from twofold.memory.framework import FRAMEWORK_CALLS, REQUEST_CONFIRMATION
from twofold.memory.outcome import Verdict, judge
from twofold.memory.reason import LONGEST_REASON
from twofold.memory.steps import Step
from twofold.memory.transcript import Entry
from twofold.memory.wording import one_line

# What ADK's tools answer when the user declined.
_REJECTED = "This tool call is rejected"
_BY_USER = Verdict(outcome="FAILURE", reason="rejected by the user")


@dataclass(slots=True)
class _Call:
    """A call while its responses are looked for. `answer` is the user's answer to its confirmation."""

    entry: Entry
    place: int
    response: Entry | None = None
    answer: Entry | None = None
    answer_place: int = 0


def steps_of(entries: Iterable[Entry], *, framework: AbstractSet[str] = FRAMEWORK_CALLS) -> tuple[Step, ...]:
    """Return one step for each call, in the order of the calls, without those of `framework`.

    A response belongs to the call of its id. A model may use an id again: then each call gets one response,
    best from its own invocation, and the last call all further ones. A response without an id belongs to the
    first open call of its tool in the same way. The last response of a call decides, as the first one may
    only say that it is pending.
    """
    entries = tuple(entries)
    calls = [_Call(entry, place) for place, entry in enumerate(entries) if entry.kind == "called"]
    _give_responses(entries, calls)
    _give_answers(entries, calls)
    failures = [(place, entry) for place, entry in enumerate(entries) if entry.kind == "failed"]
    return tuple(_step(call, failures) for call in calls if call.entry.tool not in framework)


def _give_responses(entries: Sequence[Entry], calls: Sequence[_Call]) -> None:
    by_id: dict[str, list[_Call]] = defaultdict(list)
    by_tool: dict[str, list[_Call]] = defaultdict(list)
    for call in calls:
        if call.entry.call_id:
            by_id[call.entry.call_id].append(call)
        by_tool[call.entry.tool].append(call)
    for entry in entries:
        if entry.kind != "returned":
            continue
        called = by_id.get(entry.call_id or "") or _unnumbered(entry, by_tool)
        if called:
            _answered_by(entry, called).response = entry


def _unnumbered(response: Entry, by_tool: Mapping[str, Sequence[_Call]]) -> Sequence[_Call]:
    """Return the calls of the response's tool where the call or the response lacks an id."""
    calls = by_tool.get(response.tool, ())
    return [call for call in calls if not (call.entry.call_id and response.call_id)]


def _answered_by(response: Entry, calls: Sequence[_Call]) -> _Call:
    """Return the first open call, best of the same invocation; where none is open, the last."""
    here = [call for call in calls if call.entry.invocation_id == response.invocation_id]
    return next((call for call in (*here, *calls) if call.response is None), (here or calls)[-1])


def _give_answers(entries: Sequence[Entry], calls: Sequence[_Call]) -> None:
    """Give each confirmed call the user's answer: the request for confirmation names the call it is for."""
    by_id = {call.entry.call_id: call for call in calls if call.entry.call_id}
    requests = {call.entry.call_id: call.entry for call in calls if call.entry.tool == REQUEST_CONFIRMATION}
    for place, entry in enumerate(entries):
        request = requests.get(entry.call_id) if entry.kind == "confirmed" else None
        call = by_id.get(_confirms(request)) if request is not None else None
        if call is not None:
            call.answer, call.answer_place = entry, place


def _confirms(request: Entry) -> str:
    """Return the id of the call that a request for confirmation is about."""
    args = request.payload if isinstance(request.payload, Mapping) else {}
    original = args.get("originalFunctionCall")
    call_id = original.get("id") if isinstance(original, Mapping) else None
    return call_id if isinstance(call_id, str) else ""


def _step(call: _Call, failures: Sequence[tuple[int, Entry]]) -> Step:
    verdict, end = _ending(call, failures)
    settled = verdict.outcome in ("SUCCESS", "FAILURE")
    evidence = (call.entry, call.response, call.answer, end)
    return Step(
        tool=call.entry.tool,
        args=call.entry.payload,
        outcome=verdict.outcome,
        reason=verdict.reason,
        started_at=call.entry.at,
        seconds=_seconds(call.answer or call.entry, end) if settled else None,
        event_ids=tuple(dict.fromkeys(entry.event_id for entry in evidence if entry is not None)),
    )


def _ending(call: _Call, failures: Sequence[tuple[int, Entry]]) -> tuple[Verdict, Entry | None]:
    """Return how a call ended and the entry that shows it."""
    response = call.response
    if call.answer is not None and not is_confirmed(call.answer.payload):
        return _BY_USER, call.answer
    if response is not None and not response.awaiting:
        verdict = judge(response.payload, tool=call.entry.tool)
        return (_BY_USER if verdict.reason.startswith(_REJECTED) else verdict), response
    if response is not None and call.answer is None:
        return Verdict(outcome="PENDING", reason=f"awaiting {response.awaiting}"), response
    return _dangling(call, failures)


def _dangling(call: _Call, failures: Sequence[tuple[int, Entry]]) -> tuple[Verdict, Entry | None]:
    """Explain a call without a response, or an approved one without a result, by the error that came after.

    A tool that raises leaves no response, but a later error of its invocation; best by its own author and
    branch. Otherwise a long-running tool is still at it, and any other call was interrupted.
    """
    since, place = (call.answer, call.answer_place) if call.answer else (call.entry, call.place)
    after = [entry for at, entry in failures if at > place and entry.invocation_id == since.invocation_id]
    same = (call.entry.author, call.entry.branch)
    after.sort(key=lambda entry: (entry.author, entry.branch) != same)
    if after:
        error = after[0]
        return Verdict(outcome="FAILURE", reason=error_text(error)), error
    if call.answer is not None:
        return Verdict(outcome="UNKNOWN", reason="approved, no result known"), None
    if call.entry.long_running:
        return Verdict(outcome="PENDING", reason="no response yet"), None
    return Verdict(outcome="UNKNOWN", reason="interrupted"), None


def error_text(failed: Entry) -> str:
    """Return an error in one line, for example `RuntimeError: db down`."""
    return one_line(": ".join(filter(None, (failed.error, failed.text))), LONGEST_REASON)


def _seconds(start: Entry, end: Entry | None) -> float | None:
    """Return the measured duration, else the time from the call, or from its approval, to its end.

    The latter may be too short: the event of parallel calls bears the time of the first to finish.
    """
    if end is None or end.seconds is not None:
        return end.seconds if end else None
    between = (end.at - start.at).total_seconds()
    return between if between >= 0 and end is not start else None

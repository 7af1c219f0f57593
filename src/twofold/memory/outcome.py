"""Whether a tool's response, a run and an episode succeeded, and why not.

ADK asks each tool class privately and does not store the verdict, so that it is worked out from the response.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from twofold.memory.jsontypes import Json, JsonObject
from twofold.memory.reason import explained, reason_in
from twofold.memory.steps import Outcome, Run, Step, StepOutcome

_FAILED = frozenset(
    "error errored failed failure fail exception denied rejected timeout timed_out aborted cancelled canceled"
    " invalid not_found unauthorized forbidden".split()
)
_CANCELLED = frozenset({"cancelled", "canceled"})
_PENDING = frozenset("pending running in_progress queued waiting submitted processing started".split())
_HTTP_ERRORS = (4, 5)
_REFLECTED = "ERROR_HANDLED_BY_REFLECT_AND_RETRY_PLUGIN"
_FAILED_TEXT = re.compile(
    r"\s*(?:(?:error|exception|failed|failure)\s*(?:\(?\d{1,5}\)?)?\s*[:\-–—,!]"
    r"|(?-i:[\w.]{0,80}(?:Error|Exception)):|traceback\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How a step ended and, unless it succeeded, why, in one line."""

    outcome: StepOutcome
    reason: str = ""


_SUCCESS = Verdict(outcome="SUCCESS")


def judge(response: Json, *, tool: str = "") -> Verdict:
    """Return the verdict on a tool's response. The first of these ten rules that applies decides.

    1. The marker of ADK's reflect-and-retry plugin: FAILURE
    2. A truthy `isError` or `is_error` (MCP): FAILURE
    3. A truthy `error`: FAILURE
    4. A `status` that names a failure, such as error, denied, timeout or not_found: FAILURE
    5. `success`, `ok` or `succeeded` is false: FAILURE
    6. `exit_code`, `returncode` or `return_code` is a number other than 0: FAILURE
    7. `status_code`, `statusCode`, `http_status` or a numeric `status` from 400 to 599: FAILURE
    8. `pending` is true, or a `status` that names work in progress: PENDING
    9. Nothing but `result`: the rules again for an object or JSON text in it; a text that begins like an
       error (`Error: …`, `ValueError: …`, a traceback): FAILURE
    10. SUCCESS

    Rule 4 errs where `{"status": "failed"}` is data, for example the state of a payment. What `tool` is named
    for is no failure of it: cancelled is what `cancel_order` is to come to.
    """
    if "cancel" in tool.casefold():
        response = _without_cancelled(response)
    if isinstance(response, str):
        return _judge_text(response)
    if isinstance(response, Mapping):
        for rule in _RULES:
            verdict = rule(response)
            if verdict is not None:
                return verdict
    return _SUCCESS


def _without_cancelled(response: Json) -> Json:
    if isinstance(response, str) and response.lstrip().startswith("{"):
        response = _parsed(response) or response
    if not isinstance(response, Mapping):
        return response
    if set(response) == {"result"}:
        return {"result": _without_cancelled(response["result"])}
    return {key: value for key, value in response.items() if key != "status" or _status(response) not in _CANCELLED}


def run_outcome(steps: Sequence[Step], *, error: str = "") -> Outcome:
    """Return how a run ended; `error` is the error that ended it, if one did.

    * failure: an error ended the run, or its last step failed
    * pending: a step is still pending, and the same tool has not come to an end later in the run
    * partial: another step failed or was interrupted, and the same tool has not succeeded later in the run
    * success: otherwise

    A pending step outranks a failed last step, as the run is not over. That a later call of the same tool
    makes a failure good, whatever its arguments, is an approximation: most retries correct an argument.
    """
    if error:
        return "failure"
    open_steps = unsettled(steps)
    if any(step.outcome == "PENDING" for step in open_steps):
        return "pending"
    if open_steps and open_steps[-1] is steps[-1] and steps[-1].outcome == "FAILURE":
        return "failure"
    return "partial" if open_steps else "success"


def episode_outcome(runs: Sequence[Run]) -> Outcome:
    """Return how a session's runs ended: as the last run did.

    But partial when the last run succeeded while a tool that was left failed, pending or interrupted in an
    earlier run has not succeeded in any later one.
    """
    last = runs[-1].outcome
    if last != "success":
        return last
    succeeded: set[str] = set()
    for run in reversed(runs):
        if any(step.tool not in succeeded for step in unsettled(run.steps)):
            return "partial"
        succeeded.update(step.tool for step in run.steps if step.outcome == "SUCCESS")
    return "success"


def unsettled(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps that did not succeed and that no later call of the same tool has settled.

    A success settles any step before it, a failure only a pending one. Calls made in one event are no
    retries of each other: the model had not seen the first result when it made the second call.
    """
    return tuple(
        step
        for position, step in enumerate(steps)
        if step.outcome != "SUCCESS" and not any(_settles(later, step) for later in steps[position + 1 :])
    )


def _settles(later: Step, step: Step) -> bool:
    in_one_event = bool(step.event_ids) and step.event_ids[:1] == later.event_ids[:1]
    if later.tool != step.tool or in_one_event:
        return False
    return later.outcome == "SUCCESS" or (step.outcome == "PENDING" and later.outcome == "FAILURE")


def _failure(response: JsonObject, otherwise: str = "") -> Verdict:
    return Verdict(outcome="FAILURE", reason=reason_in(response) or otherwise)


def _reflected(response: JsonObject) -> Verdict | None:
    return _failure(response) if response.get("response_type") == _REFLECTED else None


def _mcp_error(response: JsonObject) -> Verdict | None:
    if not (response.get("isError") or response.get("is_error")):
        return None
    return Verdict(outcome="FAILURE", reason=explained(response.get("content")) or reason_in(response))


def _error(response: JsonObject) -> Verdict | None:
    return _failure(response) if response.get("error") else None


def _failed_status(response: JsonObject) -> Verdict | None:
    status = _status(response)
    return _failure(response, f"status {status}") if status in _FAILED else None


def _false_success(response: JsonObject) -> Verdict | None:
    key = next((key for key in ("success", "ok", "succeeded") if response.get(key) is False), None)
    return _failure(response, f"{key} is false") if key else None


def _exit_code(response: JsonObject) -> Verdict | None:
    codes = (_number(response, key) for key in ("exit_code", "returncode", "return_code"))
    code = next((code for code in codes if code), None)
    return _failure(response, f"exit code {code}") if code else None


def _http_status(response: JsonObject) -> Verdict | None:
    codes = (_number(response, key) for key in ("status_code", "statusCode", "http_status", "status"))
    code = next((code for code in codes if code // 100 in _HTTP_ERRORS), None)
    return _failure(response, f"HTTP status {code}") if code else None


def _pending(response: JsonObject) -> Verdict | None:
    status = _status(response)
    if response.get("pending") is not True and status not in _PENDING:
        return None
    return Verdict(outcome="PENDING", reason=reason_in(response) or status)


def _wrapped(response: JsonObject) -> Verdict | None:
    return judge(response["result"]) if set(response) == {"result"} else None


_RULES: tuple[Callable[[JsonObject], Verdict | None], ...] = (
    _reflected,
    _mcp_error,
    _error,
    _failed_status,
    _false_success,
    _exit_code,
    _http_status,
    _pending,
    _wrapped,
)


def _judge_text(text: str) -> Verdict:
    if text.lstrip().startswith("{") and (parsed := _parsed(text)) is not None:
        return judge(parsed)
    if _FAILED_TEXT.match(text):
        return Verdict(outcome="FAILURE", reason=explained(text))
    return _SUCCESS


def _parsed(text: str) -> JsonObject | None:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def _status(response: JsonObject) -> str:
    status = response.get("status")
    return re.sub(r"[\s-]+", "_", status.strip().lower()) if isinstance(status, str) else ""


def _number(response: JsonObject, key: str) -> int:
    value = response.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0

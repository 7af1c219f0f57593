"""What a person does in a month: sessions of month-end work, and every fourth a recorded conversation of an airline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from google.adk.sessions.session import Session

from twofold.adk.transcript import transcript_of
from twofold.demo.airline import events, trajectories
from twofold.memory.redaction import redact_entries
from twofold.memory.transcript import Entry, Transcript

SESSIONS = 20
"""Sessions of a person in a month."""
BEGAN = datetime(2026, 3, 2, 9, tzinfo=UTC)
AGENT = "month_end"
CATEGORIES = ("BUILDINGS", "COMPUTER-LAPTOP", "FURNITURE-DESK", "MACHINES", "VEHICLE-OWNED")


def session(person: int, number: int) -> list[Transcript]:
    """Return one session of a person as it is handed over after each of its requests."""
    entries = _airline(number) if number % 4 == 3 else redact_entries(_month_end(person, number))  # noqa: PLR2004
    starts = [place for place, entry in enumerate(entries) if entry.kind == "said" and entry.author == "user"]
    ends = [*starts[1:], len(entries)]
    return [Transcript(session_id=f"{person}-{number}", entries=tuple(entries[:end])) for end in ends]


@cache
def _airline(number: int) -> tuple[Entry, ...]:
    recorded = trajectories()
    trajectory = recorded[number // 4 % len(recorded)]
    made = Session(id="s", app_name="erp", user_id="u", events=list(events(trajectory, BEGAN)))
    return transcript_of(made).entries


def _month_end(person: int, number: int) -> tuple[Entry, ...]:
    ledger, book, company = f"US_PRIMARY_{person}", f"CORP_{person}", 1000 + person
    period = f"2026-{number % 12 + 1:02}"
    requests = (
        (f"Good morning. Please start the close of period {period} for ledger {ledger}.", _subledgers(ledger, period)),
        (f"Run depreciation of asset book {book} for {period}.", _depreciation(book, period, number)),
        (f"Remember that accrual {number} of company {company} is posted to account {21000 + number}.", None),
        (f"Now close {period}.", _closed(ledger, period, number)),
        (f"Thanks. Export the variance report {number} by cost center.", _report(company, period, number)),
    )
    at = BEGAN + timedelta(days=number)
    told = [entry for turn, request in enumerate(requests) for entry in _request(turn, *request)]
    return tuple(replace(entry, at=at + timedelta(seconds=20 * place)) for place, entry in enumerate(told))


def _request(turn: int, text: str, call: tuple[str, dict[str, Any], dict[str, Any]] | None) -> Iterator[Entry]:
    invocation = f"i{turn}"
    yield Entry(event_id=f"u{turn}", kind="said", author="user", text=text, at=BEGAN, invocation_id=invocation)
    if call:
        tool, arguments, response = call
        step: dict[str, Any] = {"author": AGENT, "tool": tool, "call_id": f"c{turn}", "invocation_id": invocation}
        yield Entry(event_id=f"c{turn}", kind="called", payload=arguments, at=BEGAN, **step)
        yield Entry(event_id=f"r{turn}", kind="returned", payload=response, at=BEGAN, seconds=1.5, **step)
    said = "I have noted that for the next close." if call is None else f"{call[0]} ended: {str(call[2])[:300]}"
    yield Entry(event_id=f"a{turn}", kind="said", author=AGENT, text=said, at=BEGAN, invocation_id=invocation)


def _subledgers(ledger: str, period: str) -> tuple[str, dict[str, Any], dict[str, Any]]:
    states = {"payables": "open", "receivables": "closed", "assets": "closed", "inventory": "closed"}
    return "check_subledgers", {"ledger": ledger, "period": period}, {"ledger": ledger, "subledgers": states}


def _depreciation(book: str, period: str, number: int) -> tuple[str, dict[str, Any], dict[str, Any]]:
    rows = [{"category": name, "assets": 40 + number, "amount": f"{1200 + number}.55 USD"} for name in CATEGORIES]
    return "run_depreciation", {"asset_book": book, "period": period}, {"asset_book": book, "rows": rows}


def _closed(ledger: str, period: str, number: int) -> tuple[str, dict[str, Any], dict[str, Any]]:
    refused = {"error": "open subledgers exist", "subledgers": ["payables"]}
    closed = {"ledger": ledger, "period": period, "closed": True}
    return "close_period", {"ledger": ledger, "period": period}, refused if number % 2 else closed


def _report(company: int, period: str, number: int) -> tuple[str, dict[str, Any], dict[str, Any]]:
    rows = [{"cost_center": f"{company}-{300 + row}", "variance": f"{row * 17 + number}.00 USD"} for row in range(12)]
    return "export_report", {"company": company, "period": period, "report": "variance"}, {"rows": rows}

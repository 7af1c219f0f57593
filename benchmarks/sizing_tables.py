"""The measured figures as the tables of docs/how-to/size.md, and the sums that follow from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from usage import SESSIONS

MONTHS = 12
PEAK_HOUR = 0.05
"""Share of a month's requests in its busiest hour: a day of five times the usual, a fifth of it in one hour."""
BUSY_DAY = 0.25
MODEL_SECONDS = 5.0
CONCURRENCY = 20
USED = 0.5
"""How much of a core's time is planned with."""
POOL_SIZE = 4
USERS = (1_000, 10_000, 100_000, 1_000_000)
KILO, GIGA = 1_000, 1_000_000_000

PLANNED = "models that cost nothing, 1536 numbers"


def worker_connections(concurrency: int) -> int:
    """Return the most connections of one `twofold worker`: its memory, its queue, and one that listens."""
    return max(POOL_SIZE, concurrency + 2) + concurrency + 2 + 1


RULES = {
    "in the agent's process": ("2 *P* + 5", 2 * POOL_SIZE + 5),
    "`twofold serve`": ("2 *P* + 5", 2 * POOL_SIZE + 5),
    "`twofold serve`, workers elsewhere": ("*P*", POOL_SIZE),
    "LangGraph server": ("2 *P* + 7", 2 * POOL_SIZE + 7),
    "`twofold worker --concurrency 2`": ("2 *C* + 5", worker_connections(2)),
    "`twofold worker --concurrency 20`": ("2 *C* + 5", worker_connections(20)),
}
"""The rule by which each kind of process opens connections, and what it comes to."""

PARTS = {
    "facts and episodes": ("public.store",),
    "their vectors": ("public.store_vectors",),
    "what finds them exactly": ("twofold.memory",),
    "accepted sessions": ("twofold.inbox", "twofold.entry"),
    "events already extracted": ("twofold.ledger",),
    "history of every change": ("twofold.audit",),
    "the person": ("twofold.scope",),
    "the queue, when it is empty again": ("twofold.procrastinate_jobs", "twofold.procrastinate_events"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What a number of users needs."""

    requests: float
    servers: int
    workers: int
    patient_workers: int
    connections: int


def blocks(figures: Mapping[str, Any]) -> dict[str, str]:
    """Return each table by its name."""
    return {
        "machine": f"Measured on {figures['machine']}.",
        "month": _table(("what", "rows", "kB, 384 numbers", "kB, 1536 numbers"), _month(figures)),
        "rates": _table(
            ("models and vectors", "accepts a second (CPU of each)", "saves a second", "recalls a second"),
            _rates(figures),
        ),
        "log": _log(figures),
        "connections": _table(("process", "at most", "with *P* = 4", "seen under load"), _connections(figures)),
        "storage": _table(("users", "rows", "GB, 384 numbers", "GB, 1536 numbers"), _storage(figures)),
        "load": _table(_LOAD, (_load(users, figures) for users in USERS)),
    }


def rewritten(text: str, figures: Mapping[str, Any]) -> str:
    """Return a document with each measured block made anew. Raises LookupError if it lacks one."""
    for name, block in blocks(figures).items():
        form = re.compile(rf"(<!-- measured: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        text, found = form.subn(rf"\g<1>{block}\n\g<2>", text)
        if found != 1:
            raise LookupError(f"the guide has {found} blocks named {name!r}, expected one")
    return text


def need(users: int, figures: Mapping[str, Any]) -> Need:
    """Return what so many users need at the busiest hour of the month."""
    month = users * SESSIONS * figures["requests"]
    requests = month * PEAK_HOUR / 3600
    cost = {what: figures["rates"][PLANNED][what]["cpu"] for what in ("accept", "save", "recall")}
    server = USED / (cost["accept"] + cost["recall"])
    worker = USED * min(1 / cost["save"], CONCURRENCY / MODEL_SECONDS)
    servers, workers = (max(2, ceil(requests / each)) for each in (server, worker))
    patient = max(2, ceil(month * BUSY_DAY / 86_400 / worker))
    each_server, each_worker = RULES["`twofold serve`, workers elsewhere"][1], worker_connections(CONCURRENCY)
    return Need(
        requests=requests,
        servers=servers,
        workers=workers,
        patient_workers=patient,
        connections=servers * each_server + patient * each_worker,
    )


def _month(figures: Mapping[str, Any]) -> Iterable[tuple[str, ...]]:
    small, large = (figures["month"][dims]["tables"] for dims in ("384", "1536"))
    for what, tables in PARTS.items():
        yield (
            f"{what} ({', '.join(f'`{table}`' for table in tables)})",
            _number(_sum(large, tables, ("rows",))),
            _size(small, tables),
            _size(large, tables),
        )
    everything = tuple(large)
    rows = _sum(large, [table for tables in PARTS.values() for table in tables], ("rows",))
    yield "**together**", f"**{_number(rows)}**", f"**{_size(small, everything)}**", f"**{_size(large, everything)}**"


def _size(tables: Mapping[str, Any], names: Iterable[str]) -> str:
    names = list(names)
    total = _sum(tables, names, ("heap", "toast", "indexes")) / KILO
    return f"{_number(total)} ({_number(_sum(tables, names, ('indexes',)) / KILO)} in indexes)"


def _sum(tables: Mapping[str, Any], names: Iterable[str], parts: Iterable[str]) -> float:
    parts = tuple(parts)
    return float(sum(tables[name][part] for name in names for part in parts))


def _rates(figures: Mapping[str, Any]) -> Iterable[tuple[str, ...]]:
    for name, rates in figures["rates"].items():
        costs = (rates[what] for what in ("accept", "save", "recall"))
        yield name, *(f"{_number(cost['a_second'])} ({_number(1000 * cost['cpu'])} ms)" for cost in costs)


def _log(figures: Mapping[str, Any]) -> str:
    accept = figures["rates"][PLANNED]["accept_log"]
    turn = {dims: figures["month"][dims]["log"] for dims in ("384", "1536")}
    return (
        f"Write-ahead log: {_number(accept / KILO)} kB to accept a session of {_number(figures['requests'])} requests"
        f" at once; {_number(turn['384'] / KILO)} kB (384 numbers) or {_number(turn['1536'] / KILO)} kB (1536) for"
        " each request that is accepted and saved by itself."
    )


def _connections(figures: Mapping[str, Any]) -> Iterable[tuple[str, ...]]:
    for process, seen in figures["connections"].items():
        rule, most = RULES[process]
        yield process, rule, str(most), str(seen)


def _storage(figures: Mapping[str, Any]) -> Iterable[tuple[str, ...]]:
    small, large = (figures["month"][dims]["tables"] for dims in ("384", "1536"))
    bytes_ = ("heap", "toast", "indexes")
    for users in USERS:
        months = users * MONTHS
        yield (
            _number(users),
            _number(months * _sum(large, large, ("rows",))),
            _number(months * _sum(small, small, bytes_) / GIGA),
            _number(months * _sum(large, large, bytes_) / GIGA),
        )


_LOAD = (
    "users",
    "requests a second in the busiest hour",
    "`twofold serve`",
    "`twofold worker`, for the hour",
    "`twofold worker`, for the day",
    "connections, with workers for the day",
    "log, MB a second",
)


def _load(users: int, figures: Mapping[str, Any]) -> tuple[str, ...]:
    needed = need(users, figures)
    log = needed.requests * figures["month"]["1536"]["log"] / 1_000_000
    return (
        _number(users),
        _number(needed.requests),
        _number(needed.servers),
        _number(needed.workers),
        _number(needed.patient_workers),
        _number(needed.connections),
        _number(log),
    )


def _number(value: float) -> str:
    """Return a figure with the digits that mean something, thousands by commas."""
    if value >= 10:  # noqa: PLR2004
        return f"{round(value, -2 if value >= 10_000 else 0):,.0f}"  # noqa: PLR2004
    return f"{value:.1f}" if value >= 1 and value % 1 else f"{value:.2g}"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = tuple(head)
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)

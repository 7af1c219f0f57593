"""A session as the bodies of requests, whatever its size."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.acceptance.host import session_of, stored
from tests.remote.served import KEY, served
from twofold.adk import MemoryService
from twofold.api import body_limit
from twofold.memory.errors import NotAccepted
from twofold.memory.transcript import Entry
from twofold.models.open import Models
from twofold.remote import parts
from twofold.remote.parts import handed_over, parts_of, shortened
from twofold.wire import HandedOver

AT = datetime(2026, 3, 31, 12, 0, tzinfo=UTC)
TEXTS = st.text(max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
ENTRIES = st.builds(
    Entry,
    event_id=TEXTS,
    part=st.integers(0, 9),
    kind=st.sampled_from(["said", "called", "returned"]),
    author=TEXTS,
    at=st.datetimes(timezones=st.just(UTC), min_value=datetime(2000, 1, 1), max_value=datetime(2100, 1, 1)),  # noqa: DTZ001
    text=TEXTS,
    payload=JSON,
    call_id=st.none() | TEXTS,
    seconds=st.none() | st.floats(0, 1e6),
    chunk=st.booleans(),
)


def entry(number: int = 0, **fields: Any) -> Entry:
    return Entry(**{"event_id": str(number), "kind": "said", "author": "user", "at": AT, "text": "x" * 100, **fields})


def arrived(bodies: list[bytes]) -> list[Entry]:
    """Return the entries as a server reads them."""
    return [entry for body in bodies for entry in HandedOver.model_validate_json(body).entries]


@given(st.lists(ENTRIES, max_size=5))
def test_entries_arrive_as_they_were(entries: list[Entry]) -> None:
    bodies = [handed_over("s", part, at_once=True) for part in parts_of(entries)]
    assert arrived(bodies) == entries


def test_a_session_without_entries_is_one_empty_part() -> None:
    assert [handed_over("s", part, at_once=False) for part in parts_of([])] == [
        b'{"session_id": "s", "at_once": false, "entries": []}'
    ]


@pytest.mark.parametrize(("name", "limit", "parts_made"), [("MOST_ENTRIES", 4, 3), ("MOST_BYTES", 800, 3)])
def test_a_long_session_goes_in_parts(monkeypatch: pytest.MonkeyPatch, name: str, limit: int, parts_made: int) -> None:
    monkeypatch.setattr(parts, name, limit)
    entries = [entry(number) for number in range(10)]
    bodies = [handed_over("s", part, at_once=False) for part in parts_of(entries)]
    assert len(bodies) == parts_made
    assert arrived(bodies) == entries


def test_one_entry_that_is_too_large_is_a_part_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MOST_BYTES", 700)
    entries = [entry(0), entry(1, text="x" * 5_000), entry(2)]
    assert [len(part) for part in parts_of(entries)] == [1, 1, 1]


def nested(depth: int) -> Any:
    inner: Any = "x"
    for _ in range(depth):
        inner = [inner]
    return inner


@pytest.mark.parametrize(
    ("payload", "read"),
    [
        ({"half": "a\ud800b"}, {"half": "ab"}),
        ({"a\ud800": 1}, {"a": 1}),
        (b"\x89PNG", "\x89PNG"),
        ({"not a number": float("nan"), "endless": float("inf")}, {"not a number": None, "endless": None}),
        ({"object": object()}, {"object": "[object]"}),
    ],
)
def test_what_json_cannot_hold_is_made_to_fit(payload: Any, read: Any) -> None:
    """A part of one tool's answer must not cost the session."""
    if payload == b"\x89PNG":
        read = "[4 bytes]"
    (body,) = [handed_over("s", part, at_once=False) for part in parts_of([entry(payload=payload)])]
    assert arrived([body])[0].payload == read


def test_what_is_nested_deeper_than_anybody_reads_is_cut() -> None:
    (body,) = [
        handed_over("s", part, at_once=False) for part in parts_of([entry(payload=nested(sys.getrecursionlimit()))])
    ]
    assert "nested too deep" in str(arrived([body])[0].payload)


TURNS = tuple((author, f"My number is {number}.") for number in range(40) for author in ("user", "clerk"))


@pytest.mark.parametrize(
    "limit", [(parts, "MOST_BYTES", 2_000), (body_limit, "MOST_BYTES", 1_000)], ids=["ours", "theirs"]
)
async def test_a_session_over_a_limit_is_stored_whole(
    database_url: str, models: Models, monkeypatch: pytest.MonkeyPatch, limit: tuple[Any, str, int]
) -> None:
    """Over the client's own, or over one of the server, or of a proxy, which the client does not know."""
    monkeypatch.setattr(*limit)
    with served(database_url, models) as url:
        service = MemoryService(url, service_key=KEY)
        await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
        assert await service.flush() == 0
        assert len(stored(database_url)) == 40
        await service.close()


async def test_an_entry_that_no_request_can_carry_costs_itself_only(
    database_url: str, models: Models, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What stands before it and behind it is stored, in this turn and in the next."""
    monkeypatch.setattr(body_limit, "MOST_BYTES", 1_000)
    turns = [*TURNS[:4], ("user", "My number is " + "9" * 2_000), *TURNS[4:8]]
    with served(database_url, models) as url:
        service = MemoryService(url, service_key=KEY)
        await service.add_session_to_memory(session_of(*turns, session_id="s"))
        assert await service.flush() == 0
        assert {text for _, text in TURNS[:8:2]} <= set(stored(database_url))
        await service.add_session_to_memory(session_of(*turns, *TURNS[8:10], session_id="s"))
        assert await service.flush() == 0
        assert TURNS[8][1] in stored(database_url)
        assert "99999" not in str(stored(database_url))
        await service.close()
    assert service.health.sessions_not_accepted == 0
    assert re.search(r"An entry of session s has \d{4} bytes, .* a note in the place of what is long", caplog.text)
    assert "99999" not in caplog.text


async def test_a_limit_that_lets_nothing_through_is_told(
    database_url: str, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(body_limit, "MOST_BYTES", 100)
    with served(database_url, models) as url:
        service = MemoryService(url, service_key=KEY)
        with pytest.raises(NotAccepted, match=r"does not take a request of \d+ bytes"):
            await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
        await service.close()


NOTE = "[left out: {} bytes, and the server or a proxy before it takes no request of that size]"
LONG = "x" * 5_000


@pytest.mark.parametrize(
    ("fields", "left"),
    [
        ({"text": LONG}, {"text": NOTE.format(5_002)}),
        ({"payload": LONG}, {"payload": NOTE.format(5_002)}),
        ({"payload": [LONG]}, {"payload": NOTE.format(5_004)}),
        (
            {"payload": {"status": "error", "rows": [LONG]}},
            {"payload": {"status": "error", "rows": NOTE.format(5_004)}},
        ),
        ({"payload": {str(number): "x" for number in range(500)}}, {"payload": NOTE.format(4_891)}),
        ({"payload": {LONG: 1}}, {"payload": NOTE.format(5_006)}),
        ({"error": LONG, "text": "short"}, {"error": NOTE.format(5_002), "text": "short"}),
    ],
    ids=lambda value: str(value)[:60],
)
def test_of_an_entry_that_is_too_large_only_what_is_long_is_left_out(
    fields: dict[str, Any], left: dict[str, Any]
) -> None:
    """Also what tells how a tool's call ended stays."""
    (part,) = parts_of([entry(7, part=2, call_id="c", **{"text": "", **fields})])
    short = shortened(part[0])
    assert arrived([handed_over("s", [short], at_once=False)]) == [
        entry(7, part=2, call_id="c", **{"text": "", **fields, **left})
    ]
    assert len(short) < 1_200

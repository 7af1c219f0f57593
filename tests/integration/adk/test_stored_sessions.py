"""Sessions kept by ADK's own services are read as they were, and not changed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from google.adk.events.event_actions import EventActions
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from sqlalchemy import create_engine
from sqlalchemy import text as sql

from tests.services import as_url
from tests.stored_sessions import JANUARY, KINDS, Kept, close, kept, talk
from tests.unit.adk.shapes import SHAPES, event, text
from twofold.adk.stored import sessions as paging
from twofold.adk.stored.sessions import SessionFilter, SessionPart
from twofold.adk.stored.source import opened_source
from twofold.adk.transcript import entries_of
from twofold.memory.errors import StoreUnavailable
from twofold.memory.transcript import Entry, merge

EVERYTHING = SessionFilter()


@pytest_asyncio.fixture(params=KINDS)
async def kept_sessions(request: pytest.FixtureRequest, tmp_path: Path, database_url: str) -> AsyncIterator[Kept]:
    async with kept(request.param, tmp_path, as_url(database_url)) as lent:
        yield lent


@pytest_asyncio.fixture
async def file(tmp_path: Path) -> AsyncIterator[Kept]:
    async with kept("sqlite", tmp_path, "") as lent:
        yield lent


def read(address: str, chosen: SessionFilter = EVERYTHING) -> list[SessionPart]:
    with opened_source(address, chosen) as source:
        return list(source.parts())


def names(address: str, chosen: SessionFilter = EVERYTHING) -> list[tuple[str, str, str]]:
    with opened_source(address, chosen) as source:
        found = [(part.app_name, part.user_id, part.session_id) for part in source.parts() if part.first]
        assert source.count() == len(found)
    return found


def database(address: str) -> Path:
    """Return the SQLite file behind an address."""
    return Path(address.partition(":///")[2] or f"{address}/month_end/.adk/session.db")


def change(address: str, statement: str, parameters: dict[str, Any]) -> None:
    """Change what is kept behind ADK's back."""
    url = address if "postgresql" in address else f"sqlite:///{database(address)}"
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(sql(statement), parameters)
    engine.dispose()


def put_data(lent: Kept, event_id: str, data: str) -> None:
    """Have an event hold other data, as JSON text."""
    as_stored = "CAST(:data AS jsonb)" if "postgresql" in lent.address else ":data"
    statement = f"UPDATE events SET event_data = {as_stored} WHERE id = :id"  # noqa: S608 - words of this test
    change(lent.address, statement, {"data": data, "id": event_id})


async def test_every_shape_of_event_is_read_as_if_it_was_handed_over_live(kept_sessions: Kept) -> None:
    live = [
        each.model_copy(update={"id": f"e{number:03}", "timestamp": each.timestamp + number})
        for number, (each, _) in enumerate(SHAPES.values())
        if not each.partial and not _is_mocked(each.actions)
    ]
    await kept_sessions.keep("s1", live)
    (part,) = read(kept_sessions.address)
    assert part.entries == merge((), entries_of(live))
    assert (part.events, part.unreadable, part.first, part.last) == (len(live), 0, True, True)


def _is_mocked(actions: EventActions) -> bool:
    return any(not hasattr(value, "model_dump") for value in (actions.requested_auth_configs or {}).values())


async def test_times_are_those_of_the_events_to_the_microsecond(kept_sessions: Kept) -> None:
    await kept_sessions.keep("s1", talk("t1", "My ledger is US Primary."))
    (part,) = read(kept_sessions.address)
    assert [entry.at for entry in part.entries] == [JANUARY, JANUARY + timedelta(seconds=1)]


async def test_the_sessions_of_each_person_come_in_the_order_they_ended(kept_sessions: Kept) -> None:
    """So that what was corrected later is saved later."""
    for number, days in enumerate((9, 1, 5)):
        for user in ("ben", "anna"):
            said = talk(f"{user}{number}", "Hello.", JANUARY + timedelta(days=days))
            await kept_sessions.keep(f"s{number}", said, user=user)
    order = ["s1", "s2", "s0"]
    expected = [("month_end", user, session) for user in ("anna", "ben") for session in order]
    assert names(kept_sessions.address) == expected


async def test_pages_of_any_size_come_to_the_same(kept_sessions: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions and events of one and the same time do not get lost between two pages."""
    for number in range(7):
        events = [
            event(text(f"{number}/{each}"), id=f"e{each}", invocation_id="i", timestamp=JANUARY.timestamp() + each // 4)
            for each in range(10)
        ]
        await kept_sessions.keep(f"s{number}", events)
    change(kept_sessions.address, "UPDATE sessions SET update_time = create_time", {})
    whole = read(kept_sessions.address)
    for name, size in (("SESSIONS_A_PAGE", 2), ("EVENTS_A_PAGE", 3)):
        monkeypatch.setattr(paging, name, size)
    assert len(whole) == 7
    assert read(kept_sessions.address) == whole

    monkeypatch.setattr(paging, "EVENTS_A_PART", 3)
    parts = read(kept_sessions.address)
    assert [(part.first, part.last, part.events) for part in parts[:4]] == [
        (True, False, 3),
        (False, False, 3),
        (False, False, 3),
        (False, True, 1),
    ]
    assert _joined(parts) == {part.session_id: part.entries for part in whole}


def _joined(parts: list[SessionPart]) -> dict[str, tuple[Entry, ...]]:
    joined: dict[str, tuple[Entry, ...]] = {}
    for part in parts:
        joined[part.session_id] = (*joined.get(part.session_id, ()), *part.entries)
    return joined


async def test_a_part_ends_where_its_events_are_long(file: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "EVENTS_A_PAGE", 2)
    monkeypatch.setattr(paging, "CHARACTERS_A_PART", 5_000)
    long = [event(text("word " * 600), id=f"e{number}", timestamp=float(number)) for number in range(6)]
    await file.keep("s1", long)
    assert [part.events for part in read(file.address)] == [2, 2, 2]


FILTERS = {
    SessionFilter(app_name="month_end"): {"s0", "s1", "s2"},
    SessionFilter(app_name="travel"): {"s3"},
    SessionFilter(user_id="ben"): {"s2", "s3"},
    SessionFilter(app_name="month_end", user_id="ben"): {"s2"},
    SessionFilter(since=JANUARY + timedelta(days=2, seconds=1)): {"s2", "s3"},
    SessionFilter(since=JANUARY + timedelta(days=2, seconds=1, microseconds=1)): {"s3"},
    SessionFilter(app_name="month_end", since=JANUARY + timedelta(days=2, seconds=1)): {"s2"},
    SessionFilter(app_name="' OR 1=1 --"): set[str](),
}


async def test_a_filter_lets_through_what_it_says(kept_sessions: Kept) -> None:
    whose = [("month_end", "anna"), ("month_end", "anna"), ("month_end", "ben"), ("travel", "ben")]
    for number, (app, user) in enumerate(whose):
        said = talk(f"t{number}", "Hello.", JANUARY + timedelta(days=number))
        await kept_sessions.keep(f"s{number}", said, app=app, user=user)
    for chosen, expected in FILTERS.items():
        assert {session for _, _, session in names(kept_sessions.address, chosen)} == expected, chosen


async def test_fields_of_a_later_adk_are_passed_over(kept_sessions: Kept) -> None:
    await kept_sessions.keep("s1", talk("t1", "My ledger is US Primary."))
    (before,) = read(kept_sessions.address)
    (said, _) = talk("t1", "My ledger is US Primary.")
    data = said.model_dump(mode="json", exclude_none=True)
    data |= {"shiny": {"new": 1}}
    data["content"]["parts"][0] |= {"sparkle": True}
    data["actions"] |= {"teleport": "x"}
    put_data(kept_sessions, "u-t1", json.dumps(data))
    assert read(kept_sessions.address) == [before]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ('{"author": 7}', "author"),
        ("[]", "no JSON object"),
        ("null", "no JSON object"),
        ('{"author": "user", "content": {"parts": [{"text": ["s3cr3t"], "sparkle": 1}]}}', "text"),
    ],
)
async def test_one_broken_event_is_left_out_and_named(
    kept_sessions: Kept, data: str, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    await kept_sessions.keep("s1", [*talk("t1", "Hello."), *talk("t2", "My ledger is US Primary.")])
    await kept_sessions.keep("s2", talk("t3", "Hello."))
    put_data(kept_sessions, "a-t1", data)
    parts = read(kept_sessions.address)
    assert [(part.events, part.unreadable) for part in parts] == [(4, 1), (2, 0)]
    assert [entry.event_id for entry in parts[0].entries] == ["u-t1", "u-t2", "a-t2"]
    (warning,) = caplog.messages
    assert "Event a-t1 of session s1 (app month_end, user anna)" in warning
    assert why in warning
    assert "s3cr3t" not in warning


async def test_data_that_is_no_json_or_missing_is_left_out_too(file: Kept) -> None:
    await file.keep("s1", [*talk("t1", "Hello."), *talk("t2", "Hello.")])
    change(file.address, "UPDATE events SET event_data = '{oops' WHERE id = 'a-t1'", {})
    change(file.address, "UPDATE events SET event_data = NULL WHERE id = 'a-t2'", {})
    (part,) = read(file.address)
    assert (part.events, part.unreadable) == (4, 2)


async def test_an_event_without_a_time_of_its_own_has_that_of_its_row(kept_sessions: Kept) -> None:
    await kept_sessions.keep("s1", talk("t1", "Hello."))
    (before,) = read(kept_sessions.address)
    (said, _) = talk("t1", "Hello.")
    data = said.model_dump(mode="json", exclude_none=True, exclude={"timestamp"})
    put_data(kept_sessions, "u-t1", json.dumps(data))
    assert read(kept_sessions.address) == [before]


async def test_secrets_are_gone_before_anything_leaves_the_reader(kept_sessions: Kept) -> None:
    await kept_sessions.keep("s1", talk("t1", "My password is hunter2."))
    assert "hunter2" not in repr(read(kept_sessions.address))


async def test_a_file_is_not_changed_and_cannot_be(file: Kept) -> None:
    await file.keep("s1", close("t1", "2026-03"))
    path = database(file.address)
    before = sha256(path.read_bytes()).hexdigest()
    with opened_source(file.address, EVERYTHING) as source:
        list(source.parts())
        rows = source._databases[0]._rows
        with pytest.raises(StoreUnavailable, match="readonly"):
            rows.all("DELETE FROM events", {})
    assert sha256(path.read_bytes()).hexdigest() == before
    assert sorted(entry.name for entry in path.parent.iterdir()) == [path.name]


async def test_a_database_cannot_be_changed(tmp_path: Path, database_url: str) -> None:
    async with kept("postgres", tmp_path, as_url(database_url)) as lent:
        await lent.keep("s1", close("t1", "2026-03"))
        with opened_source(lent.address, EVERYTHING) as source:
            with pytest.raises(StoreUnavailable, match="read-only transaction"):
                source._databases[0]._rows.all("DELETE FROM events RETURNING id", {})
            assert len(list(source.parts())) == 1


async def test_what_is_being_written_meanwhile_is_read_as_it_is(kept_sessions: Kept) -> None:
    """A session that goes on while it is read comes again, with what is new."""
    await kept_sessions.keep("s1", talk("t1", "Hello."))
    with opened_source(kept_sessions.address, EVERYTHING) as source:
        parts = source.parts()
        assert next(parts).events == 2
        await kept_sessions.keep("s2", talk("t2", "Hello.", JANUARY + timedelta(days=1)))
        assert [part.session_id for part in parts] == ["s2"]


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+asyncpg", "postgresql+psycopg"])
async def test_the_address_given_to_adk_is_understood(scheme: str, tmp_path: Path, database_url: str) -> None:
    async with kept("postgres", tmp_path, as_url(database_url)) as lent:
        await lent.keep("s1", talk("t1", "Hello."))
        assert len(names(lent.address.replace("postgresql+psycopg", scheme))) == 1


async def test_a_sqlite_file_is_found_by_path_and_by_address(file: Kept) -> None:
    await file.keep("s1", talk("t1", "Hello."))
    path = database(file.address)
    for address in (file.address, str(path), f"sqlite:///{path}", f"sqlite+aiosqlite:///{path}?timeout=3"):
        assert len(names(address)) == 1


async def test_a_folder_is_walked_for_what_adk_web_keeps(tmp_path: Path) -> None:
    for place in ("", "month_end", "teams/travel", ".hidden", "venv"):
        home = tmp_path / "agents" / place / ".adk"
        home.mkdir(parents=True)
        app = place.rpartition("/")[2] or "built_in"
        await Kept(SqliteSessionService(str(home / "session.db")), "").keep("s1", talk(f"t-{app}", "Hello."), app=app)
    agents = tmp_path / "agents"
    assert [app for app, _, _ in names(str(agents))] == ["built_in", "month_end", "travel"]
    for one in (agents / "month_end", agents / "month_end" / ".adk", agents / "month_end" / ".adk" / "session.db"):
        assert [app for app, _, _ in names(str(one))] == ["month_end"]

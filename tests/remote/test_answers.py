"""What the client makes of a server's answers, of none, and of answers that are not a twofold server's."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime

import pytest
from pydantic import SecretStr

from tests.acceptance.host import session_of
from tests.remote.scripted_server import ACCEPTED, NOTHING, STORED, Reply, ScriptedServer
from twofold.adk import MemoryService
from twofold.memory.errors import (
    Conflict,
    ExtractionFailed,
    InvalidInput,
    ModelFailed,
    NotAccepted,
    NotAllowed,
    NotAuthenticated,
    ServerUnavailable,
    TwofoldError,
)
from twofold.memory.scope import Scope
from twofold.memory.verbatim import VerbatimText
from twofold.remote import RemoteMemory
from twofold.settings import load_settings
from twofold.wire import PROBLEM_TYPE

KEY = "the-key-that-nobody-may-read"
ANNA = Scope(tenant_id="books", user_id="anna")
TURNS = (("user", "My ledger is US Primary."), ("clerk", "Noted."))
PROBLEM = {"Content-Type": "application/problem+json"}

Scripted = Callable[..., ScriptedServer]


@pytest.fixture
def scripted() -> Iterator[Scripted]:
    """Return what starts servers with these replies."""
    with ExitStack() as stack:
        yield lambda *replies: stack.enter_context(ScriptedServer(list(replies)).running())


def problem(status: int, kind: str, detail: str = "what to do") -> Reply:
    """Return a refusal as our own server words it."""
    body = {"type": PROBLEM_TYPE + kind, "title": kind, "status": status, "detail": detail}
    return Reply(status, body, PROBLEM)


async def search(service: MemoryService, query: str = "Which ledger?") -> int:
    """Return how many memories are found."""
    return len((await service.search_memory(app_name="books", user_id="anna", query=query)).memories)


@pytest.mark.parametrize(
    ("reply", "error", "told"),
    [
        (problem(422, "InvalidInput", "text: is too long"), InvalidInput, "text: is too long"),
        (problem(409, "Conflict"), Conflict, "what to do"),
        (problem(502, "ModelFailed"), ModelFailed, "what to do"),
        (problem(502, "ExtractionFailed"), ExtractionFailed, "what to do"),
        (problem(401, "NotAuthenticated"), NotAuthenticated, "what to do; set service_key or TWOFOLD_SERVER_KEY"),
        (Reply(401, {"detail": "no such key"}), NotAuthenticated, "no such key; set service_key"),
        (problem(403, "NotAllowed"), NotAllowed, "what to do; see its TWOFOLD_SERVICE_KEYS"),
        (Reply(403, {"detail": "not yours"}), NotAllowed, "not yours; see its TWOFOLD_SERVICE_KEYS"),
        (problem(503, "StoreUnavailable"), ServerUnavailable, "answered 503 to /memory: what to do"),
        (problem(500, "about:blank"), ServerUnavailable, "answered 500 to /memory"),
        (Reply(404, {"detail": "Not Found"}), ServerUnavailable, "answered 404 to /memory: Not Found"),
        (Reply(404, b"<html>", {"Content-Type": "text/html"}), ServerUnavailable, "answered 404 to /memory"),
        (Reply(500, b"\xff\xfe"), ServerUnavailable, "answered 500"),
        (Reply(200, b"<html>welcome</html>", {"Content-Type": "text/html"}), ServerUnavailable, "is the address right"),
        (Reply(200, {"other": 1}), ServerUnavailable, "is the address right"),
        (Reply(204, b""), ServerUnavailable, "is the address right"),
    ],
    ids=lambda value: f"{value.status} {value.headers}" if isinstance(value, Reply) else "",
)
async def test_a_refusal_is_an_error_of_ours_that_says_what_to_do(
    scripted: Scripted, reply: Reply, error: type[TwofoldError], told: str
) -> None:
    service = MemoryService(scripted(reply).url, service_key=KEY)
    with pytest.raises(error) as refused:
        await service.delete_user(app_name="books", user_id="anna")
    assert type(refused.value) is error
    assert told in str(refused.value)
    assert KEY not in str(refused.value)
    await service.close()


async def test_deleting_succeeds_where_there_is_nothing_and_fails_where_nobody_serves(scripted: Scripted) -> None:
    """A 404 of ours is not one of somebody else's server: what was not erased is never reported as erased."""
    service = MemoryService(
        scripted(problem(404, "NotFound"), Reply(404, {"detail": "Not Found"})).url, service_key=KEY
    )
    await service.delete_memory(app_name="books", user_id="anna", memory_id="k")
    with pytest.raises(ServerUnavailable):
        await service.delete_memory(app_name="books", user_id="anna", memory_id="k")
    await service.close()


@pytest.mark.parametrize("status", [502, 503])
async def test_a_server_that_is_away_for_a_moment_is_asked_once_more(scripted: Scripted, status: int) -> None:
    server = scripted(Reply(status), Reply(202, ACCEPTED), Reply(202, ACCEPTED), Reply(200, STORED))
    service = MemoryService(server.url, service_key=KEY)
    await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
    first, second = server.asked("/memory/sessions")
    assert first.body == second.body
    assert await service.flush() == 0
    await service.close()


@pytest.mark.parametrize("status", [400, 401, 403, 409, 422, 500, 503])
async def test_nothing_is_sent_more_than_twice(scripted: Scripted, status: int) -> None:
    server = scripted(Reply(status))
    service = MemoryService(server.url, service_key=KEY)
    with pytest.raises(NotAccepted, match="hand the whole session over again"):
        await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
    assert len(server.got) == (2 if status == 503 else 1)
    assert service.health.sessions_not_accepted == 1
    assert service.health.last_error.startswith("accept: ")
    await service.close()


async def test_a_session_no_server_will_ever_take_is_invalid(scripted: Scripted) -> None:
    service = MemoryService(scripted(problem(422, "InvalidInput", "entries: no")).url, service_key=KEY)
    with pytest.raises(InvalidInput, match="entries: no"):
        await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
    await service.close()


async def test_the_key_does_not_follow_a_redirect(scripted: Scripted) -> None:
    """Neither does what was said."""
    elsewhere = scripted(Reply(200, NOTHING))
    server = scripted(Reply(307, "", {"Location": f"{elsewhere.url}/memory/search"}))
    service = MemoryService(server.url, service_key=KEY)
    assert await search(service) == 0
    assert "redirects to another address" in service.health.last_error
    assert elsewhere.got == []
    await service.close()


async def test_no_proxy_sees_unencrypted_traffic(scripted: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine's proxy is for other machines; a server here is asked directly."""
    proxy, server = scripted(Reply(200, NOTHING)), scripted(Reply(200, NOTHING))
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy.url)
    service = MemoryService(server.url, service_key=KEY)
    await search(service)
    assert len(server.asked("/memory/search")) == 1
    assert proxy.got == []
    await service.close()


async def test_a_server_that_hangs_costs_a_search_its_deadline(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWOFOLD_RECALL_DEADLINE", "0.5")
    service = MemoryService(scripted(Reply(200, NOTHING), Reply(hangs=True)).url, service_key=KEY)
    assert service._memory.patience() == 10  # the first answer may take longer
    assert await search(service) == 0
    assert service.health.searches_failed == 0
    began = time.monotonic()
    assert await search(service, "Which period?") == 0
    assert time.monotonic() - began < 2
    assert service.health.searches_failed == 1
    assert service.health.last_error.startswith("search: ")
    await service.close()


async def test_a_server_that_hangs_costs_an_accept_no_more_than_it_is_given(scripted: Scripted) -> None:
    service = MemoryService(scripted(Reply(hangs=True)).url, service_key=KEY)
    began = time.monotonic()
    with pytest.raises(NotAccepted, match="took too long"):
        await service.accept(session_of(*TURNS, session_id="s"), within=0.3)
    assert time.monotonic() - began < 2
    await service.close()


async def test_a_server_that_hangs_holds_up_neither_a_flush_nor_closing(scripted: Scripted) -> None:
    service = MemoryService(scripted(Reply(202, ACCEPTED), Reply(hangs=True)).url, service_key=KEY)
    await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
    began = time.monotonic()
    assert await service.flush(timeout=1) == 1
    assert time.monotonic() - began < 3
    await service.close()
    assert time.monotonic() - began < 12


REFUSED = [problem(403, "NotAllowed"), problem(422, "InvalidInput", "session_id: is unknown"), Reply(401)]


@pytest.mark.parametrize("refused", REFUSED, ids=lambda reply: str(reply.status))
@pytest.mark.parametrize(("while_", "left"), [("hurrying", 0), ("waiting", 1)])
async def test_what_is_refused_of_one_session_is_told_and_the_others_are_waited_for(
    scripted: Scripted, caplog: pytest.LogCaptureFixture, refused: Reply, while_: str, left: int
) -> None:
    accepted, stored = Reply(202, ACCEPTED), Reply(200, STORED)
    finishing = {"hurrying": [refused, accepted, stored], "waiting": [accepted, accepted, refused, stored]}
    server = scripted(accepted, accepted, *finishing[while_])
    service = MemoryService(server.url, service_key=KEY)
    for session_id in ("s", "t"):
        await service.add_session_to_memory(session_of(*TURNS, session_id=session_id))
    assert await service.flush(timeout=5) == left
    assert len(server.got) == 6
    assert (
        len([line for line in caplog.messages if "is accepted, and it is not known whether it is stored" in line]) == 1
    )
    await service.close()


async def test_the_key_is_in_no_log(scripted: Scripted, caplog: pytest.LogCaptureFixture) -> None:
    """However much is logged."""
    caplog.set_level(logging.DEBUG)
    service = MemoryService(scripted(Reply(200, NOTHING), Reply(401)).url, service_key=KEY)
    await search(service)
    await search(service, "Which period?")
    await service.close()
    assert "/memory/search" in caplog.text
    assert KEY not in caplog.text
    assert KEY not in service.health.last_error


async def test_an_address_keeps_its_path_and_a_person_is_named_in_headers(scripted: Scripted) -> None:
    server = scripted(Reply(200, NOTHING))
    service = MemoryService(f"{server.url}/behind/a/proxy/", service_key=KEY)
    await service.search_memory(app_name="böoks/1", user_id="anna meier", query="Which ledger?")
    (asked,) = server.got
    assert asked.path == "/behind/a/proxy/memory/search"
    assert asked.headers["Authorization"] == f"Bearer {KEY}"
    assert asked.headers["X-Twofold-Tenant"] == "b%C3%B6oks%2F1"
    assert asked.headers["X-Twofold-User"] == "anna%20meier"
    await service.close()


async def test_no_secret_of_a_query_is_sent(scripted: Scripted) -> None:
    server = scripted(Reply(200, NOTHING))
    service = MemoryService(server.url, service_key=KEY)
    await search(service, "My password is hunter2, which ledger is mine?")
    assert server.got[0].json["query"] == "My password is [redacted: password], which ledger is mine?"
    await service.close()


async def test_a_memory_is_made_fit_to_be_sent_before_its_secrets_are_looked_for(scripted: Scripted) -> None:
    """What is taken out of it could part the words that tell a secret."""
    server = scripted(Reply(201, {"stored": []}))
    memory = RemoteMemory(load_settings(), server.url, key=SecretStr(KEY))
    for text in ("My pass\x00word is hunter2.", "My pass\ud800word is hunter2."):
        await memory.add(ANNA, [VerbatimText(text=text, at=None)])
        assert server.got[-1].json["memories"][0]["text"] == "My password is [redacted: password]."
    memory.close()


@pytest.mark.parametrize(
    ("text", "at", "told"),
    [
        ("\ud800", None, "text: .*at least 1 character"),
        ("x" * 10_001, None, "text: .*at most 10000 characters"),
        ("x", datetime(2026, 3, 1), "at: .*timezone"),  # noqa: DTZ001 - what is refused
    ],
)
async def test_a_memory_no_server_takes_is_refused_by_name(
    scripted: Scripted, text: str, at: datetime | None, told: str
) -> None:
    memory = RemoteMemory(load_settings(), scripted(Reply(201, {"stored": []})).url, key=SecretStr(KEY))
    with pytest.raises(InvalidInput, match=rf"^memories\[1\]\.{told}"):
        await memory.add(ANNA, [VerbatimText(text="fine", at=None), VerbatimText(text=text, at=at)])
    memory.close()


async def test_what_a_newer_server_says_more_does_no_harm(scripted: Scripted) -> None:
    service = MemoryService(scripted(Reply(200, {**NOTHING, "newer": [1]})).url, service_key=KEY)
    await search(service)
    assert service.health.searches_failed == 0
    await service.close()


async def test_what_a_server_could_not_erase_is_told_and_nothing_from_before_is_served(scripted: Scripted) -> None:
    counts = {"memories": 1, "sessions": 1, "audit_entries": 1, "jobs": 0}
    left = {**counts, "threads_left": ["thread t1: the server answered 500"]}
    server = scripted(Reply(200, NOTHING), Reply(200, left), Reply(200, NOTHING))
    service = MemoryService(server.url, service_key=KEY)
    await search(service)
    with pytest.raises(ServerUnavailable, match="not all threads: thread t1: the server answered 500; erase again"):
        await service.delete_user(app_name="books", user_id="anna")
    await search(service)
    assert len(server.asked("/memory/search")) == 2
    await service.close()

"""A real server under a service in use: stopped, started again, killed, asked by strangers and by many at once."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.adk.sessions.in_memory_session_service import InMemorySessionService

from tests.acceptance.host import APP, Host, Replies, agent_with, session_of, stored, text_of
from tests.remote.certificate import make_certificate
from tests.remote.served import KEY, Server, api, served
from twofold.adk import MemoryService
from twofold.memory.errors import NotAccepted, NotAllowed, ServerUnavailable
from twofold.memory.scope import Scope
from twofold.models.open import Models
from twofold.settings import load_settings

FACT = "My ledger is US Primary."
TURNS = (("user", FACT), ("clerk", "Noted."))


@pytest.fixture
def port() -> int:
    """Return a port that is free, for servers that come and go."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def service_at(port: int, **parameters: Any) -> MemoryService:
    """Return a service of a server that may not be there."""
    return MemoryService(f"http://127.0.0.1:{port}", **{"service_key": KEY, **parameters})


async def test_a_server_that_is_down_harms_no_turn_and_the_next_run_saves_both(
    database_url: str, models: Models, port: int
) -> None:
    """The answers come, nothing is recalled, and health tells that memory is down."""
    service = service_at(port)
    host = Host(service=service, sessions=InMemorySessionService())
    session = await host.say(agent_with(Replies()), FACT)
    assert text_of(session.events[-1].content) == "Noted."
    assert await host.search("Which ledger?") == []
    assert service.health.sessions_not_accepted == 1
    assert service.health.searches_failed >= 1
    assert f"http://127.0.0.1:{port} cannot be reached" in service.health.last_error
    with pytest.raises(NotAccepted, match="hand the whole session over again"):
        await service.add_session_to_memory(session_of(*TURNS, session_id="t"))
    with served(database_url, models, port=port):
        await host.say(agent_with(Replies()), "My company is 1000.", session_id=session.id)
        assert await service.flush() == 0
        assert await host.search("Which ledger is mine?") == ["My company is 1000.", FACT]
    assert stored(database_url) == ["My company is 1000.", FACT]
    await service.close()


async def test_a_session_accepted_before_a_restart_is_stored_after_it(
    database_url: str, models: Models, port: int
) -> None:
    """Also for a flush that waits while the server is away, and for one that began before it went."""
    service = service_at(port)
    with served(database_url, models, port=port, worker=False):
        await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
        flushing = asyncio.create_task(service.flush(timeout=60))
        await asyncio.sleep(0.5)
    await asyncio.sleep(1)
    assert not flushing.done()
    with served(database_url, models, port=port):
        assert await flushing == 0
    assert stored(database_url) == [FACT]
    await service.close()


async def test_with_wait_a_restart_is_sat_out(database_url: str, models: Models, port: int) -> None:
    service = service_at(port, wait=True)
    with served(database_url, models, port=port, worker=False):
        adding = asyncio.create_task(service.add_session_to_memory(session_of(*TURNS, session_id="s")))
        await asyncio.sleep(0.5)
    with served(database_url, models, port=port):
        await adding
    assert stored(database_url) == [FACT]
    await service.close()


async def test_a_wrong_key_is_told_with_what_to_do(database_url: str, models: Models) -> None:
    wrong = "not-the-key-of-any-service-at-all"
    with served(database_url, models) as url:
        service = MemoryService(url, service_key=wrong)
        host = Host(service=service, sessions=InMemorySessionService())
        session = await host.say(agent_with(Replies()), FACT)
        assert text_of(session.events[-1].content) == "Noted."
        assert await host.search("Which ledger?") == []
        assert service.health.searches_failed >= 1
        assert service.health.sessions_not_accepted == 1
        for told in ("does not know the service key", "TWOFOLD_SERVER_KEY", "TWOFOLD_SERVICE_KEYS", url):
            assert told in service.health.last_error
        assert wrong not in service.health.last_error
        await service.close()


async def test_a_key_for_other_tenants_is_refused_by_name(database_url: str, models: Models) -> None:
    with served(database_url, models, services={"erp": {"key": KEY, "tenants": ["acme"]}}) as url:
        service = MemoryService(url, service_key=KEY, scope=lambda app, user: Scope(tenant_id=app, user_id=user))
        with pytest.raises(NotAccepted, match="may not act for people of this tenant"):
            await service.add_session_to_memory(session_of(*TURNS, session_id="s", app_name="other"))
        with pytest.raises(NotAllowed):
            await service.delete_user(app_name="other", user_id="anna")
        await service.add_session_to_memory(session_of(*TURNS, session_id="s", app_name="acme"))
        assert await service.flush() == 0
        await service.close()


async def test_many_people_over_one_client_never_mix(database_url: str, models: Models) -> None:
    """Eight people hand over and search at once, for a while."""
    with served(database_url, models) as url:
        service = MemoryService(url, service_key=KEY)

        async def live(user: str) -> None:
            for number in range(5):
                turns = (("user", f"My number is {user}{number}."), ("clerk", "Noted."))
                await service.add_session_to_memory(session_of(*turns, session_id=f"s{number}", user_id=user))
                found = await service.search_memory(app_name=APP, user_id=user, query=f"My number {number} is")
                told = [text_of(entry.content) for entry in found.memories]
                assert all(text.startswith(f"My number is {user}") for text in told)

        users = [f"u{letter}" for letter in "abcdefgh"]
        await asyncio.gather(*(live(user) for user in users))
        assert await service.flush(timeout=60) == 0
        for user in users:
            assert stored(database_url, user_id=user) == [f"My number is {user}{number}." for number in range(5)]
        assert service.health.searches_failed == 0
        await service.close()


async def test_a_session_that_is_erased_while_it_is_waited_for_is_done(database_url: str, models: Models) -> None:
    with served(database_url, models, worker=False) as url:
        service = MemoryService(url, service_key=KEY)
        await service.add_session_to_memory(session_of(*TURNS, session_id="s"))
        await service.delete_session(app_name=APP, user_id="anna", session_id="s")
        assert await service.flush(timeout=10) == 0
        await service.close()


@pytest.mark.parametrize("user_id", ["", "u" * 2_001])
async def test_a_person_no_server_can_know_is_refused_by_name(database_url: str, models: Models, user_id: str) -> None:
    """Instead of a stranger being taken for them."""
    with served(database_url, models) as url:
        service = MemoryService(url, service_key=KEY)
        found = await service.search_memory(app_name=APP, user_id=user_id, query="Which ledger?")
        assert found.memories == []
        assert "user: a twofold server knows people by 1 to 2000 characters" in service.health.last_error
        await service.close()


@pytest.fixture
def encrypted(database_url: str, models: Models, tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Serve with a certificate that nobody knows; lend the address and the certificate."""
    certificate, key = make_certificate(tmp_path)
    settings = load_settings(database_url=database_url, service_keys={"tests": {"key": KEY}})
    server = Server(api(settings, models), 0, ssl_certfile=certificate, ssl_keyfile=key)
    server.start()
    yield f"https://127.0.0.1:{server.port}", certificate
    server.stop()


async def test_only_a_server_with_a_known_certificate_gets_the_key(
    encrypted: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, certificate = encrypted
    stranger = MemoryService(url, service_key=KEY)
    with pytest.raises(ServerUnavailable, match="CERTIFICATE_VERIFY_FAILED"):
        await stranger.backlog()
    await stranger.close()
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    known = MemoryService(url, service_key=KEY)
    assert (await known.backlog()).waiting == 0
    await known.close()

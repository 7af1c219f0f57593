"""The harness keeps its own promises: nothing leaks in from the shell, the network or another test."""

import asyncio
import os
import socket
import urllib.request

import psycopg
import pytest

from tests.database import DatabaseServer
from tests.guards import NetworkGuard, NetworkReached, clean_environment, is_local

OTHER_MACHINE = "203.0.113.7"  # TEST-NET-3: documentation only, nobody's address


def test_settings_of_the_shell_are_gone() -> None:
    """Cleaning drops the settings of product and libraries, keeps the rest and switches tracing off."""
    environment = {"TWOFOLD_TTL_DAYS": "1", "OPENAI_API_KEY": "k", "PGHOST": "db", "PATH": "/bin"}
    clean_environment(environment)
    assert environment == {"PATH": "/bin", "LANGSMITH_TRACING": "false"}


def test_a_test_runs_in_a_clean_environment() -> None:
    """No setting of the product or of a paid service reaches a test."""
    assert os.environ["LANGSMITH_TRACING"] == "false"  # noqa: TID251
    assert not [name for name in os.environ if name.startswith(("TWOFOLD_", "OPENAI_"))]  # noqa: TID251


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1", "localhost", "", None])
def test_this_machine_is_local(host: str | None) -> None:
    """Loopback in every spelling is allowed."""
    assert is_local(host)


@pytest.mark.parametrize("host", [OTHER_MACHINE, "10.0.0.1", "::ffff:10.0.0.1", "example.org", "localhost.com"])
def test_other_machines_are_not_local(host: str) -> None:
    """Private ranges, names and look-alikes are refused."""
    assert not is_local(host)


def test_connecting_elsewhere_is_refused(no_network: NetworkGuard) -> None:
    """A socket to another machine raises, and the attempt is remembered."""
    with socket.socket() as client, pytest.raises(NetworkReached, match=OTHER_MACHINE):
        client.connect((OTHER_MACHINE, 443))
    assert no_network.refused == [OTHER_MACHINE]
    no_network.refused.clear()


def test_looking_up_a_name_is_refused(no_network: NetworkGuard) -> None:
    """A library that starts with a name gets no further than its look-up."""
    with pytest.raises(OSError, match=r"example\.org"):
        urllib.request.urlopen("http://example.org/", timeout=1)
    assert no_network.refused == ["example.org"]
    no_network.refused.clear()


async def test_an_event_loop_is_guarded_too(no_network: NetworkGuard) -> None:
    """An asynchronous client gets no further than a plain one."""
    with pytest.raises(NetworkReached):
        await asyncio.open_connection(OTHER_MACHINE, 443)
    assert no_network.refused
    no_network.refused.clear()


def test_loopback_works() -> None:
    """A double on this machine can be reached."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        pass


def test_a_database_is_empty_and_new(database_url: str, database_server: DatabaseServer) -> None:
    """Each test writes into a database that no other test sees."""
    with psycopg.connect(database_url) as connection:
        connection.execute("CREATE EXTENSION vector")
        connection.execute("CREATE TABLE seen (embedding vector(3))")
    with database_server.database() as other, psycopg.connect(other) as connection:
        assert connection.execute("SELECT to_regclass('seen')").fetchone() == (None,)


def test_a_database_can_be_a_copy(database_url: str, database_server: DatabaseServer) -> None:
    """A template is made once and copied for each test."""
    with psycopg.connect(database_url) as connection:
        connection.execute("CREATE TABLE seen ()")
        template = connection.info.dbname
    with database_server.database(template=template) as copy, psycopg.connect(copy) as connection:
        assert connection.execute("SELECT count(*) FROM seen").fetchone() == (0,)

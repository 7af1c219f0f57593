"""The local user: whoever sits at this machine, and no web page but Studio and this server's own."""

from __future__ import annotations

from typing import Any

import pytest

from tests.callers import acting_for, bearer
from tests.unit.api.connections import connection
from twofold.api.authenticator import Authenticator
from twofold.api.identity import LOCAL, Identity
from twofold.api.local_user import is_loopback
from twofold.memory.errors import NotAllowed, NotAuthenticated
from twofold.settings import load_settings

STUDIO = "https://smith.langchain.com"
OWN = "http://localhost:2024"


@pytest.fixture
def authenticator() -> Authenticator:
    return Authenticator(load_settings())


@pytest.mark.parametrize(
    ("headers", "changes"),
    [
        ({}, {}),
        ({"Host": "LOCALHOST"}, {}),
        ({"Host": "127.0.0.1:2024"}, {}),
        ({"Host": "[::1]:2024"}, {"client": ("::1", 40000)}),
        ({}, {"client": ("127.0.0.9", 40000)}),
        ({}, {"client": None, "server": ("/run/twofold.sock", None)}),
        ({"Origin": OWN, "Sec-Fetch-Site": "same-origin"}, {}),
        ({"Origin": "https://localhost:2024"}, {"scheme": "https"}),
        ({"Origin": OWN}, {"type": "websocket", "scheme": "ws"}),
        ({"Origin": STUDIO, "Sec-Fetch-Site": "cross-site"}, {}),
        ({"Origin": STUDIO, **bearer("what Studio sends")}, {}),
        ({"Sec-Fetch-Site": "none"}, {}),
        ({"Sec-Fetch-Site": "same-origin"}, {}),
        ({"x-auth-scheme": "langsmith", "x-api-key": "lsv2"}, {}),
    ],
    ids=str,
)
async def test_this_machine_its_pages_and_studio_are_the_local_user(
    authenticator: Authenticator, headers: dict[str, str], changes: dict[str, Any]
) -> None:
    assert await authenticator.identity(connection(headers, **changes)) == Identity(scope=LOCAL)


@pytest.mark.parametrize(
    ("headers", "changes"),
    [
        ({}, {"client": ("192.168.1.20", 40000)}),
        ({}, {"client": ("::ffff:192.168.1.20", 40000)}),
        ({}, {"client": ("testclient", 40000)}),
        ({}, {"client": None}),
        ({"X-Forwarded-For": "127.0.0.1"}, {}),
        ({"X-Forwarded-Host": "localhost"}, {}),
        ({"Forwarded": "for=127.0.0.1"}, {}),
        ({"X-Real-IP": "127.0.0.1"}, {}),
        ({"Via": "1.1 proxy"}, {}),
        ({"Host": "evil.example"}, {}),
        ({"Host": "localhost.evil.example:2024"}, {}),
        ({"Host": "localhost:2024.evil.example"}, {}),
        ({"Host": "127.0.0.1.nip.io"}, {}),
        ({"Host": ""}, {}),
        ({"Origin": "https://evil.example"}, {}),
        ({"Origin": "https://smith.langchain.com.evil.example"}, {}),
        ({"Origin": "http://smith.langchain.com"}, {}),
        ({"Origin": "http://localhost:3000"}, {}),
        ({"Origin": "http://127.0.0.1:2024"}, {}),
        ({"Origin": "https://localhost:2024"}, {}),
        ({"Origin": "null"}, {}),
        ({"Origin": ""}, {}),
        ({"Origin": "https://evil.example"}, {"type": "websocket", "scheme": "ws"}),
        ({"Sec-Fetch-Site": "cross-site"}, {}),
        ({"Sec-Fetch-Site": "same-site"}, {}),
        (acting_for("acme", "anna"), {}),
        ({"X-Twofold-User": "anna"}, {}),
    ],
    ids=str,
)
async def test_another_machine_a_proxy_or_another_page_is_refused(
    authenticator: Authenticator, headers: dict[str, str], changes: dict[str, Any]
) -> None:
    with pytest.raises(NotAllowed):
        await authenticator.identity(connection(headers, **changes))


@pytest.mark.parametrize("twice", ["Host", "Origin"])
async def test_a_header_that_comes_twice_is_believed_neither_time(authenticator: Authenticator, twice: str) -> None:
    values = {"Host": ["localhost", "evil.example"], "Origin": [OWN, "https://evil.example"]}[twice]
    pairs = [("Host", "localhost:2024")] * (twice != "Host") + [(twice, value) for value in values]
    with pytest.raises(NotAllowed):
        await authenticator.identity(connection(pairs))


async def test_a_bearer_that_nobody_can_check_is_not_taken_for_the_local_user(authenticator: Authenticator) -> None:
    with pytest.raises(NotAuthenticated, match="TWOFOLD_AUTH_ISSUER"):
        await authenticator.identity(connection(bearer("a token")))


async def test_other_pages_can_be_let_in() -> None:
    authenticator = Authenticator(load_settings(local_origins=("http://localhost:3000",)))
    assert (await authenticator.identity(connection({"Origin": "http://localhost:3000"}))).scope == LOCAL
    with pytest.raises(NotAllowed):
        await authenticator.identity(connection({"Origin": STUDIO}))


async def test_there_is_no_local_user_where_services_are_set_up() -> None:
    authenticator = Authenticator(load_settings(service_keys={"crm": {"key": "x" * 24}}))
    with pytest.raises(NotAuthenticated):
        await authenticator.identity(connection())


@pytest.mark.parametrize(
    ("host", "near"),
    [
        ("127.0.0.1", True),
        ("localhost", True),
        ("::1", True),
        ("[::1]", True),
        ("0.0.0.0", False),  # noqa: S104 - compared, not bound
        ("::", False),
        ("10.0.0.1", False),
        ("example.com", False),
        ("", False),
    ],
)
def test_which_addresses_are_this_machines_own(host: str, *, near: bool) -> None:
    assert is_loopback(host) is near

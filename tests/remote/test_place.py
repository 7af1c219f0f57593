"""Where a server may be, and which key can be sent there."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import SecretStr

from twofold.adk import MemoryService
from twofold.memory.errors import SettingsInvalid
from twofold.remote.place import checked_key, checked_url
from twofold.testing import test_models

KEY = "a-service-key-of-enough-length"


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://memory.example", "https://memory.example"),
        ("https://memory.example/", "https://memory.example"),
        ("https://memory.example:8443/behind/a/proxy/", "https://memory.example:8443/behind/a/proxy"),
        ("HTTPS://memory.example", "https://memory.example"),
        ("http://127.0.0.1:2024", "http://127.0.0.1:2024"),
        ("http://localhost:2024", "http://localhost:2024"),
        ("http://[::1]:2024", "http://[::1]:2024"),
        ("http://127.8.9.10", "http://127.8.9.10"),
    ],
)
def test_an_address_is_kept_with_its_path(url: str, kept: str) -> None:
    assert checked_url(url) == kept


@pytest.mark.parametrize("host", ["memory", "memory.example", "10.0.0.7", "localhost.evil.example", "127.0.0.1.nip.io"])
def test_unencrypted_traffic_to_another_machine_is_refused_naming_the_ways_out(host: str) -> None:
    with pytest.raises(SettingsInvalid, match=r"https://, or, .* TWOFOLD_SERVER_UNENCRYPTED=true"):
        checked_url(f"http://{host}:8000")
    assert checked_url(f"http://{host}:8000", unencrypted=True) == f"http://{host}:8000"


@pytest.mark.parametrize(
    "url",
    ["https://", "https:///path", "https://memory.example:port", "https://[::1", "ftp://memory.example", "memory:8000"],
)
def test_what_is_no_address_of_a_server_is_refused_naming_the_form(url: str) -> None:
    with pytest.raises(SettingsInvalid, match=r"https://HOST\[:PORT\]\[/PATH\]"):
        checked_url(url)


@pytest.mark.parametrize(
    "url",
    ["https://me:s3cret@memory.example", "https://s3cret@memory.example", "https://h/?key=s3cret", "https://h/#s3cret"],
)
def test_an_address_that_carries_a_secret_is_refused_without_telling_it(url: str) -> None:
    with pytest.raises(SettingsInvalid, match="service_key or TWOFOLD_SERVER_KEY") as refused:
        checked_url(url)
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize("key", [None, "", "two words here", "line end\n", "schlüssel"])
def test_a_key_that_is_missing_or_cannot_be_sent_is_refused_without_telling_it(key: str | None) -> None:
    with pytest.raises(SettingsInvalid, match="service_key: ") as refused:
        checked_key(None if key is None else SecretStr(key))
    assert not key or key not in str(refused.value)


def test_the_key_comes_from_the_environment_unless_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsInvalid, match="TWOFOLD_SERVER_KEY"):
        MemoryService("https://memory.example")
    monkeypatch.setenv("TWOFOLD_SERVER_KEY", KEY)
    assert MemoryService("twofold+https://memory.example").health.database == "https://memory.example"
    monkeypatch.delenv("TWOFOLD_SERVER_KEY")
    assert MemoryService("https://memory.example", service_key=KEY).health.database == "https://memory.example"


def test_the_environment_can_allow_unencrypted_traffic(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsInvalid, match="'memory'"):
        MemoryService("http://memory:8000", service_key=KEY)
    monkeypatch.setenv("TWOFOLD_SERVER_UNENCRYPTED", "true")
    assert MemoryService("http://memory:8000", service_key=KEY).health.database == "http://memory:8000"


def test_the_key_is_in_no_repr() -> None:
    service = MemoryService("https://memory.example", service_key=KEY)
    assert KEY not in f"{service!r} {vars(service)!r} {vars(service._memory)!r} {service.health!r}"


@pytest.mark.parametrize(
    "given",
    [
        {"chat_model": "offline"},
        {"embedding_model": "minilm"},
        {"models": test_models()},
        {"min_messages": 2},
        {"relevance_floor": 0.2},
        {"chat_model": "offline", "min_messages": 1},
    ],
    ids="+".join,
)
def test_what_only_the_server_can_decide_is_refused_by_name(given: dict[str, Any]) -> None:
    with pytest.raises(SettingsInvalid, match=", ".join(given)):
        MemoryService("https://memory.example", service_key=KEY, **given)


def test_a_service_key_without_a_server_is_refused() -> None:
    with pytest.raises(SettingsInvalid, match=r"service_key: .* names none"):
        MemoryService("postgresql://h/d", service_key=KEY)

"""What the address of a memory service says."""

from __future__ import annotations

import pytest

from twofold.adk.address import DatabasePlace, ServerPlace, place_of
from twofold.memory.errors import SettingsInvalid


@pytest.mark.parametrize("uri", [None, "", "twofold:", "twofold://", "twofold:///"])
def test_no_address_is_the_configured_database(uri: str | None) -> None:
    assert place_of(uri) == DatabasePlace(None)


@pytest.mark.parametrize(
    ("uri", "url"),
    [
        ("postgresql://u@h/d", "postgresql://u@h/d"),
        ("postgres://u@h/d", "postgres://u@h/d"),
        ("twofold+postgresql://u:p@h/d?sslmode=require", "postgresql://u:p@h/d?sslmode=require"),
    ],
)
def test_a_database_address_is_passed_on(uri: str, url: str) -> None:
    assert place_of(uri) == DatabasePlace(url)


@pytest.mark.parametrize(
    ("uri", "url"),
    [
        ("https://memory.example", "https://memory.example"),
        ("HTTPS://memory.example", "HTTPS://memory.example"),
        ("twofold+https://memory.example:8443/behind/a/proxy", "https://memory.example:8443/behind/a/proxy"),
        ("twofold+http://127.0.0.1:2024", "http://127.0.0.1:2024"),
    ],
)
def test_a_web_address_is_that_of_a_server(uri: str, url: str) -> None:
    assert place_of(uri) == ServerPlace(url)


@pytest.mark.parametrize("uri", ["mysql://u:s3cret@h/d", "agentengine://1", "s3cret", "https//s3cret", "x://[s3cret"])
def test_an_unknown_address_is_refused_naming_what_works_and_no_secret(uri: str) -> None:
    with pytest.raises(SettingsInvalid, match=r"twofold\+postgresql.*twofold\+https") as refused:
        place_of(uri)
    assert "s3cret" not in str(refused.value)

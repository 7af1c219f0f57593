"""What the address of a memory service says."""

from __future__ import annotations

import pytest

from twofold.adk.address import database_of
from twofold.memory.errors import SettingsInvalid


@pytest.mark.parametrize("uri", [None, "", "twofold:", "twofold://", "twofold:///"])
def test_no_address_is_the_configured_database(uri: str | None) -> None:
    assert database_of(uri) is None


@pytest.mark.parametrize(
    ("uri", "url"),
    [
        ("postgresql://u@h/d", "postgresql://u@h/d"),
        ("postgres://u@h/d", "postgres://u@h/d"),
        ("twofold+postgresql://u:p@h/d?sslmode=require", "postgresql://u:p@h/d?sslmode=require"),
    ],
)
def test_a_database_address_is_passed_on(uri: str, url: str) -> None:
    assert database_of(uri) == url


@pytest.mark.parametrize("uri", ["mysql://u:s3cret@h/d", "agentengine://1", "s3cret"])
def test_an_unknown_address_is_refused_naming_what_works_and_no_secret(uri: str) -> None:
    with pytest.raises(SettingsInvalid, match="twofold\\+postgresql") as refused:
        database_of(uri)
    assert "s3cret" not in str(refused.value)

"""The settings: where they come from, their limits, and what they show."""

from __future__ import annotations

from pathlib import Path

import pytest

from twofold.memory.errors import SettingsInvalid
from twofold.settings import load_settings


def test_the_defaults_need_no_account_and_no_database() -> None:
    settings = load_settings()
    assert (settings.database_url, settings.chat_model, settings.openai_api_key) == (None, None, None)
    assert (settings.ttl_days, settings.min_messages, settings.settle_seconds) == (30, 2, 10.0)


def test_the_environment_is_read_and_what_is_given_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_TTL_DAYS", "65")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert load_settings().ttl_days == 65
    assert load_settings(ttl_days=10).ttl_days == 10
    assert load_settings(ttl_days=None).ttl_days == 65
    key = load_settings().openai_api_key
    assert key is not None
    assert key.get_secret_value() == "k"


def test_an_empty_variable_is_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Compose makes it of one that its own environment does not have."""
    for name in type(load_settings()).model_fields:
        monkeypatch.setenv(f"TWOFOLD_{name.upper()}", "")
    assert load_settings() == load_settings()
    assert (load_settings().ttl_days, load_settings().worker, load_settings().database_url) == (30, True, None)


def test_our_own_key_wins_over_the_shared_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "shared")
    monkeypatch.setenv("TWOFOLD_OPENAI_API_KEY", "own")
    key = load_settings().openai_api_key
    assert key is not None
    assert key.get_secret_value() == "own"


@pytest.mark.parametrize(
    ("name", "value"), [("ttl_days", 0), ("settle_seconds", -1), ("pool_size", 1), ("relevance_floor", 2)]
)
def test_a_value_out_of_its_limits_is_refused_naming_the_setting(name: str, value: object) -> None:
    with pytest.raises(SettingsInvalid, match=name):
        load_settings(**{name: value})


def test_no_secret_is_in_what_is_shown_or_refused() -> None:
    url = "postgresql://anna:s3cret@db.acme.com:5433/memory?sslpassword=s3cret"
    settings = load_settings(database_url=url, openai_api_key="s3cret")
    assert settings.database_shown == "db.acme.com:5433/memory"
    assert "s3cret" not in repr(settings)
    with pytest.raises(SettingsInvalid) as refused:
        load_settings(ttl_days="s3cret")
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("host=db port=5433 dbname=memory user=anna password='s3 cret'", "host=db port=5433 dbname=memory"),
        ("postgresql:///memory?host=/run/pg&password=s3cret", "/memory"),
        ("postgresql://db/memory", "db/memory"),
    ],
)
def test_a_database_is_shown_by_where_it_is(url: str, shown: str) -> None:
    assert load_settings(database_url=url).database_shown == shown


def test_the_embedded_database_is_shown_by_its_folder(tmp_path: Path) -> None:
    assert load_settings(data_folder=tmp_path).database_shown == f"embedded, in {tmp_path}"

"""Whose memory an ADK user's is."""

from __future__ import annotations

import pytest

from twofold.adk import MemoryService
from twofold.adk.scopes import scopes, tenant_of
from twofold.memory.errors import SettingsInvalid
from twofold.memory.scope import Scope


@pytest.mark.parametrize(
    ("uri", "address", "tenant"),
    [
        (None, None, None),
        ("twofold:///", "twofold:///", None),
        ("twofold:///?tenant=acme", "twofold:///", "acme"),
        ("twofold:///?tenant=a%26b%20c", "twofold:///", "a&b c"),
        ("postgresql:///d?host=/run&tenant=acme&user=u", "postgresql:///d?host=/run&user=u", "acme"),
        ("twofold+postgresql://u:p@h/d?sslmode=require", "twofold+postgresql://u:p@h/d?sslmode=require", None),
        ("postgresql:///d?options=tenant%3Dx", "postgresql:///d?options=tenant%3Dx", None),
    ],
)
def test_an_address_may_name_the_tenant_and_the_database_never_sees_it(
    uri: str | None, address: str | None, tenant: str | None
) -> None:
    assert tenant_of(uri) == (address, tenant)


@pytest.mark.parametrize("uri", ["twofold:///?tenant=", "twofold:///?tenant", "twofold:///?tenant=a&tenant=b"])
def test_a_tenant_is_named_once(uri: str) -> None:
    with pytest.raises(SettingsInvalid, match="one tenant"):
        tenant_of(uri)


def test_the_configured_database_takes_nothing_but_a_tenant() -> None:
    with pytest.raises(SettingsInvalid, match="a tenant and nothing else"):
        tenant_of("twofold:///?tenant=acme&user=u")


def test_each_app_is_a_tenant_unless_one_is_named_for_all() -> None:
    assert scopes(None, None)("books", "anna") == Scope(tenant_id="books", user_id="anna")
    assert scopes(None, "acme")("books", "anna") == Scope(tenant_id="acme", user_id="anna")


def test_the_host_and_the_address_do_not_both_name_the_tenant() -> None:
    with pytest.raises(SettingsInvalid, match="use one of them"):
        MemoryService("twofold:///?tenant=acme", scope=lambda app, user: Scope(tenant_id=app, user_id=user))

"""Whose memory an ADK user's is: the app's own, one tenant's for all apps, or as the host maps it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias
from urllib.parse import unquote

from twofold.memory.errors import SettingsInvalid
from twofold.memory.scope import Scope

ScopeOf: TypeAlias = Callable[[str, str], Scope]

TENANT = "tenant"


def app_is_tenant(app_name: str, user_id: str) -> Scope:
    """Return the default scope of an ADK user: each app is a tenant of its own."""
    return Scope(tenant_id=app_name, user_id=user_id)


def one_tenant(tenant_id: str) -> ScopeOf:
    """Return the mapping that gives all apps one tenant: `adk web` and `adk run` may name one app differently."""

    def scope_of(app_name: str, user_id: str) -> Scope:
        del app_name
        return Scope(tenant_id=tenant_id, user_id=user_id)

    return scope_of


def tenant_of(uri: str | None) -> tuple[str | None, str | None]:
    """Return a service address without its `tenant=`, and that tenant; the rest of its query is the database's.

    Raises SettingsInvalid when the tenant is empty or named twice.
    """
    if uri is None or "?" not in uri:
        return uri, None
    address, _, query = uri.partition("?")
    parts = query.split("&")
    rest = "&".join(part for part in parts if part.partition("=")[0] != TENANT)
    if rest and address.startswith("twofold:"):
        raise SettingsInvalid("uri: twofold:/// takes a tenant and nothing else, as in twofold:///?tenant=acme")
    tenants = [unquote(part.partition("=")[2]) for part in parts if part.partition("=")[0] == TENANT]
    if not tenants:
        return uri, None
    if len(tenants) > 1 or not tenants[0]:
        raise SettingsInvalid("uri: name one tenant, as in twofold:///?tenant=acme")
    return (f"{address}?{rest}" if rest else address), tenants[0]


def scopes(given: ScopeOf | None, tenant: str | None) -> ScopeOf:
    """Return how scopes are made. Raises SettingsInvalid when both the host and the address say."""
    if given is not None and tenant is not None:
        raise SettingsInvalid(f"uri: it names the tenant {tenant!r:.80}, and `scope` was given too; use one of them")
    if given is not None:
        return given
    return app_is_tenant if tenant is None else one_tenant(tenant)

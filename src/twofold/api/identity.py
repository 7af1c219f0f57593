"""Who is calling, and for whom."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, unquote

from twofold.memory.errors import NotAuthenticated
from twofold.memory.scope import Scope

LOCAL = Scope(tenant_id="local", user_id="local")


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """An authenticated caller: a person, or a service that acts for one; a service that names nobody has no scope.

    `tenants` are those a service is limited to, None = all.
    """

    scope: Scope | None
    service: str = ""
    tenants: frozenset[str] | None = None


def name_of(scope: Scope) -> str:
    """Return the one text that stands for a scope where only a text fits: tenant, slash, user, percent-encoded."""
    return "/".join(quote(part, safe="", errors="surrogatepass") for part in (scope.tenant_id, scope.user_id))


def scope_named(name: str) -> Scope:
    """Return the scope that `name_of` wrote. Raises NotAuthenticated for any other text."""
    tenant, slash, user = name.partition("/")
    if not slash or "/" in user:
        raise NotAuthenticated("The identity of this run was not made by twofold's auth handler")
    return Scope(tenant_id=unquote(tenant, errors="surrogatepass"), user_id=unquote(user, errors="surrogatepass"))
